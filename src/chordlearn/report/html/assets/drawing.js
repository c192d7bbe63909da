/*
 * The network on its stage. Zooming moves variables apart and leaves letters as large as they are: a variable is a card with
 * its distribution, a label, or a dot, whatever there is room for, and the most important ones choose first.
 */
import { svg, percent } from "./dom.js";
import { Camera } from "./camera.js";
import { place } from "./placement.js";

const COLOURS = 6, FEW = 12, MOST_HULLS = 6, MOST_ROWS = 6;
const LINE = 15, ROW = 17, LONGEST = 150, SHORTER = 84, MOST_LINES = 3, NARROW = 560, CARD = 166, LABELS = 66, BARS = 38;
const LARGE = 120, HUB = 6, MOST_COVERED = 7, ALWAYS = 8;
const GLIDE = 400, NEAR = 7, MARGIN = 14, BUTTONS = 32, MOST_SHARES = 60, TINY = 0.42;

const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();

function widthOf(text, bold = false) {
  const key = `${bold}${text}`;
  if (!widths.has(key)) {
    pen.font = `${bold ? 600 : 400} 12.5px system-ui, "Helvetica Neue", Arial, sans-serif`;
    widths.set(key, pen.measureText(text).width);
  }
  return widths.get(key);
}

/* The text with its middle left out where it is wider than there is room. */
export function fitted(text, room) {
  if (widthOf(text) <= room) return text;
  const letters = [...text];
  let kept = letters.length - 1;
  const cut = () => `${letters.slice(0, Math.ceil(kept / 2)).join("")}…${letters.slice(letters.length - Math.floor(kept / 2)).join("")}`;
  while (kept > 1 && widthOf(cut()) > room) kept--;
  return cut();
}

/* In a few lines, broken after a space, hyphen, underscore, dot or slash. */
function broken(text, longest) {
  const lines = [""];
  for (const piece of text.match(/[^\s\-_./]*[\s\-_./]*/g)) {
    if (lines.at(-1) && lines.length < MOST_LINES && widthOf(lines.at(-1) + piece.trim()) > longest) lines.push("");
    lines[lines.length - 1] += piece;
  }
  return lines.map((line) => fitted(line.trim(), longest));
}

export class Drawing {
  points = [];
  #nodes = []; #lines = []; #areas = []; #ghosts = []; #levels = []; #order = []; #held = new Map(); #frame = 0; #tiny = false;

  /* act: { tap(what, event), point(what, x, y), moved(undo) } where `what` is { variable | edge | clique: number } or null. */
  constructor(act) {
    this.act = act;
    this.areas = svg("g", { class: "areas" });
    this.lines = svg("g", { class: "edges" });
    this.dots = svg("g", { class: "dots" });
    this.shares = svg("g", { class: "shares", "aria-hidden": "true" });
    this.nodes = svg("g", { class: "nodes" });
    this.stage = svg("svg", { class: "stage", role: "group", tabindex: "-1" }, this.areas, this.lines, this.dots, this.shares, this.nodes);
    this.camera = new Camera(this.stage, {
      moved: () => this.paint(),
      pick: (target) => { const node = target.closest(".node"); return node ? Number(node.dataset.variable) : null; },
      tap: (target, event) => act.tap(this.#under(target, event), event, target.closest(".state-row")?.dataset.state),
      drag: (variable, dx, dy) => this.#drag(variable, dx, dy),
      drop: () => { this.stage.classList.remove("dragging"); this.#start = null; },
    });
    this.stage.addEventListener("pointermove", (event) => {
      if (!event.buttons) act.point(this.#under(event.target, event), event.clientX, event.clientY);
    });
    this.stage.addEventListener("pointerleave", () => act.point(null));
    new ResizeObserver(() => this.#resized()).observe(this.stage);
  }

  /* ---- A network ---- */

  /* Draw a network, which may be the next one: who was there before stays where it is, or glides. */
  draw(view, cards) {
    const before = new Map((this.view?.names ?? []).map((name, i) => [name, this.points[i]]));
    const first = !this.view;
    const old = this.view;
    this.view = view;
    this.cards = cards;
    this.#measure();
    if (!old || old.names.join("\n") !== view.names.join("\n") || !old.states !== !view.states || !old.beliefs !== !view.beliefs) {
      this.#nodes = view.names.map((_, i) => this.#makeNode(i));
      this.dots.replaceChildren();
      this.nodes.replaceChildren(...this.#nodes.map(({ group }) => group));
    }
    const boxes = this.#nodes.map(({ pill, card }) => (cards && card ? card : pill));
    const same = old && !first && key(old) === key(view);
    const aspect = this.width ? Math.min(2, Math.max(0.5, this.width / this.height)) : 1.4;
    const places = same ? this.points : place(view.near, boxes, {
      length: (a, b) => view.lengths[view.edgeOf(a, b)], before: view.names.map((name) => before.get(name)), aspect,
    });
    view.names.forEach((name, i) => { if (this.#held.has(name)) places[i] = this.#held.get(name); });
    const known = new Set(old?.edges.map(([a, b]) => `${old.names[a]}\n${old.names[b]}`));
    this.#lines = view.edges.map(([a, b], i) => svg("line", {
      class: old && !known.has(`${view.names[a]}\n${view.names[b]}`) ? "edge new" : "edge", "data-edge": i,
      "vector-effect": "non-scaling-stroke",
    }));
    this.#ghosts = view.ghosts.map(({ kind, ends, title, width }) => svg("line", {
      class: `edge ${kind}`, "data-pair": ends.join("-"), "stroke-width": width, "vector-effect": "non-scaling-stroke",
    }, title && svg("title", { text: title })));
    this.lines.replaceChildren(...this.#ghosts, ...this.#lines);
    this.#areas = [];
    this.areas.replaceChildren();
    this.colours = clique_colours(view.cliques);
    if (first || same) { this.points = places; this.refresh(); if (first) this.fit(); }
    else this.#glide(view.names.map((name, i) => before.get(name) ?? places[i]), places);
    this.stage.setAttribute("aria-label", `Network of ${view.names.length} variables and ${view.edges.length} edges. ` +
      "Arrow keys go from one to the next, Enter selects, plus and minus zoom, 0 shows all.");
  }

  #glide(from, to) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    const start = performance.now();
    const own = (this.motion = Symbol("motion"));
    const step = (now) => {
      if (own !== this.motion) return;
      const t = still ? 1 : Math.min(1, (now - start) / GLIDE);
      const share = t * t * (3 - 2 * t);
      this.points = to.map(({ x, y }, i) => ({ x: from[i].x + (x - from[i].x) * share, y: from[i].y + (y - from[i].y) * share }));
      this.#placeLines();
      if (this.camera.touched) this.paint(); else this.fit();
      if (t < 1) requestAnimationFrame(step);
    };
    this.points = from;
    this.refresh();
    step(start);
  }

  /* ---- One variable ---- */

  #makeNode(i) {
    const { names, states } = this.view;
    const lines = broken(names[i], this.width < NARROW ? SHORTER : LONGEST);
    const width = Math.max(26, ...lines.map((line) => widthOf(line))) + 18;
    const bar = this.view.beliefs !== null;
    const pill = { width, height: LINE * lines.length + 9 + (bar ? 7 : 0) };
    const dot = { width: 0, height: 0, radius: Math.min(9, 3.2 + Math.sqrt(this.view.near[i].length)) };
    const card = bar && states
      ? { width: CARD, height: 26 + ROW * Math.min(states[i].length, MOST_ROWS) + (states[i].length > MOST_ROWS ? 14 : 4) } : null;
    const group = svg("g", { class: "node", "data-variable": i, role: "button", tabindex: i ? -1 : 0 });
    return { group, lines, pill, dot, card, parts: {}, level: null };
  }

  #shape(i, level) {
    const node = this.#nodes[i];
    if (node.parts[level]) return node.parts[level];
    const size = node[level];
    const part = svg("g", {});
    if (level === "dot") {
      part.append(svg("path", { class: "dot", "stroke-width": this.#dotWidth(node), "vector-effect": "non-scaling-stroke" }));
    } else {
      const [left, top] = [-size.width / 2, -size.height / 2];
      part.append(svg("rect", { class: "box", x: left, y: top, width: size.width, height: size.height, rx: 8 }));
      const lines = level === "pill" ? node.lines : [fitted(this.view.names[i], CARD - 18)];
      lines.forEach((line, row) => part.append(svg("text", { class: "title", y: top + 16 + LINE * row, text: line }), " "));
      const inner = svg("g", { class: "belief" });
      part.append(inner);
      if (level === "card") {
        this.view.states[i].slice(0, MOST_ROWS).forEach((label, state) => {
          const y = top + 26 + ROW * state;
          inner.append(svg("g", { class: "state-row", "data-state": state },
            svg("rect", { class: "reach", x: left + 4, y, width: size.width - 8, height: ROW, rx: 4 }),
            svg("text", { class: "state-label", x: left + 10, y: y + 12.5, text: fitted(label, LABELS - 8) }), " ",
            svg("rect", { class: "track", x: left + LABELS + 4, y: y + 5, width: BARS, height: 7, rx: 2 }),
            svg("rect", { class: "bar", x: left + LABELS + 4, y: y + 5, width: 0, height: 7, rx: 2 }),
            svg("rect", { class: "before", y: y + 3, width: 1.5, height: 11 }),
            svg("text", { class: "share", x: -left - 8, y: y + 12.5 }), " "));
        });
        const more = this.view.states[i].length - MOST_ROWS;
        if (more > 0) part.append(svg("text", { class: "state-label", x: left + 10, y: -top - 5, text: `and ${more} more` }));
      }
    }
    node.parts[level] = part;
    if (level === "dot") this.#placeDot(i); else this.#fill(i, level);
    return part;
  }

  /* Write what is believed now into a label or a card. */
  #fill(i, level) {
    const { beliefs, priors, evidence } = this.view;
    const part = this.#nodes[i].parts[level];
    if (!part || level === "dot" || !this.view.states) return;
    const shares = beliefs?.[i];
    const size = this.#nodes[i][level];
    const inner = part.querySelector(".belief");
    if (level === "pill") {
      const room = size.width - 16;
      let x = -room / 2;
      inner.replaceChildren(...(shares ? [...shares].map((share, state) => {
        const left = x;
        x += room * share;
        return svg("rect", { class: `bar shade-${Math.min(state, 5)}`, x: left, y: size.height / 2 - 9, width: Math.max(0, room * share), height: 4 });
      }) : []));
      return;
    }
    inner.childNodes.forEach((row, state) => {
      const share = shares ? shares[state] : NaN;
      row.querySelector(".bar").setAttribute("width", BARS * (share || 0));
      row.querySelector(".before").classList.toggle("hidden", !evidence.size);
      row.querySelector(".before").setAttribute("x", -size.width / 2 + LABELS + 3.2 + BARS * (priors[i][state] || 0));
      row.querySelector(".share").textContent = percent(share);
      row.classList.toggle("chosen", evidence.get(i) === state);
    });
  }

  /* For screen readers: what can be read, then what it means. */
  #name(i) {
    const { names, states, near, beliefs, evidence } = this.view;
    const node = this.#nodes[i];
    const seen = node.group.textContent.trim();
    const likely = beliefs && states && node.level !== "card" ? `${states[i][mode(beliefs[i])]} ${percent(Math.max(...beliefs[i]))}` : null;
    const parts = [seen, seen.startsWith(names[i]) ? null : names[i], likely, `neighbours: ${near[i].length}`, evidence.has(i) ? "known" : null];
    node.group.setAttribute("aria-label", parts.filter(Boolean).join(", "));
  }

  /* ---- What is selected, known and shown ---- */

  refresh() {
    const { view } = this;
    const { selection, related, evidence, near, names, beliefs, priors } = view;
    this.stage.classList.toggle("selecting", related !== null);
    this.stage.classList.toggle("large", names.length > LARGE);
    this.#nodes.forEach((node, i) => {
      const chosen = selection?.variable === i || selection?.pair?.includes(i) || false;
      const change = beliefs && priors ? [...beliefs[i]].reduce((total, share, s) => total + Math.abs(share - priors[i][s]), 0) / 2 : 0;
      const classes = ["node", evidence.has(i) && "known", chosen && "selected", related?.has(i) && "related",
        !near[i].length && "isolated", evidence.size && change > 0.05 && "changed", view.hidden?.has(i) && "hidden"];
      node.group.setAttribute("class", classes.filter(Boolean).join(" "));
      node.group.style.setProperty("--change", Math.min(1, change * 2.5).toFixed(2));
      node.group.setAttribute("aria-pressed", String(chosen));
      for (const level of Object.keys(node.parts)) this.#fill(i, level);
      this.#name(i);
    });
    this.#lines.forEach((line, i) => {
      const [a, b] = view.edges[i];
      const on = selection?.edge === i;
      const isRelated = on || (related?.has(a) && related.has(b) && (selection.variable === undefined || a === selection.variable || b === selection.variable));
      line.setAttribute("stroke-width", view.widths[i].toFixed(2));
      line.setAttribute("stroke-opacity", view.strong[i].toFixed(2));
      line.setAttribute("class", ["edge", line.classList.contains("new") && "new", on && "selected", isRelated && "related",
        (i >= 0 && !view.isShown(i) && !on) && "hidden", view.marks[i]].filter(Boolean).join(" "));
    });
    const weight = (i) => (this.#nodes[i].group.classList.contains("selected") ? 1e6 : 0) + (related?.has(i) ? 1e5 : 0) +
      (evidence.has(i) ? 1e4 : 0) + near[i].length;
    this.#order = names.map((_, i) => i).filter((i) => !view.hidden?.has(i)).sort((i, j) => weight(j) - weight(i) || i - j);
    const written = view.weight?.shares && view.edges.length <= MOST_SHARES ? view.weight.values : [];
    this.shares.replaceChildren(...[...written].map((share) => svg("text", { text: percent(share) })));
    this.#chooseAreas();
    this.#placeLines();
    this.paint();
  }

  #chooseAreas() {
    const { cliques, selection, allCliques } = this.view;
    const wanted = cliques.map((_, i) => i).filter((i) => {
      if (selection?.clique === i) return true;
      if (cliques[i].length < 3) return false;
      return allCliques || (selection?.variable !== undefined && cliques[i].includes(selection.variable));
    });
    const few = allCliques || wanted.length <= MOST_HULLS ? wanted : wanted.filter((i) => selection?.clique === i);
    few.sort((i, j) => cliques[j].length - cliques[i].length);
    this.#areas = few.map((clique) => ({ clique, path: svg("path", {
      class: `area colour-${this.colours[clique]}${selection?.clique === clique ? " selected" : ""}`, "data-clique": clique,
    }) }));
    this.areas.replaceChildren(...this.#areas.map(({ path }) => path));
  }

  #dotWidth(node) { return (this.#tiny ? 1 : 2) * node.dot.radius; }

  #placeDot(i) {
    const { x, y } = this.points[i];
    this.#nodes[i].parts.dot?.firstChild.setAttribute("d", `M${x.toFixed(1)},${y.toFixed(1)}h0`);
  }

  #placeLines() {
    const put = (line, a, b) => {
      const [p, q] = [this.points[a], this.points[b]];
      line.setAttribute("x1", p.x.toFixed(1)); line.setAttribute("y1", p.y.toFixed(1));
      line.setAttribute("x2", q.x.toFixed(1)); line.setAttribute("y2", q.y.toFixed(1));
    };
    this.#nodes.forEach((_, i) => this.#placeDot(i));
    this.#lines.forEach((line, i) => put(line, ...this.view.edges[i]));
    this.#ghosts.forEach((line, i) => put(line, ...this.view.ghosts[i].ends));
  }

  /* ---- Every frame ---- */

  paint() {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => { this.#frame = 0; this.paintNow(); });
  }

  paintNow() {
    if (!this.view || !this.width) return;
    const { camera, width, height } = this;
    // What is large in number is moved as a whole: lines, and variables that are dots.
    const whole = `translate(${camera.x.toFixed(2)} ${camera.y.toFixed(2)}) scale(${camera.scale.toFixed(4)})`;
    for (const group of [this.lines, this.dots]) group.setAttribute("transform", whole);
    if (this.#tiny !== camera.scale < TINY) {
      this.#tiny = camera.scale < TINY;
      for (const node of this.#nodes) node.parts.dot?.firstChild.setAttribute("stroke-width", this.#dotWidth(node));
    }
    const at = this.points.map((point) => camera.at(point));
    const seen = (i) => at[i].x > -80 && at[i].y > -60 && at[i].x < width + 80 && at[i].y < height + 60;
    const visible = this.#order.filter(seen);
    this.#levels = Array(at.length).fill(null);
    const taken = [];
    const dots = visible.map((i) => ({ i, ...at[i], radius: this.#nodes[i].dot.radius }));
    for (const i of visible) {
      const levels = this.cards && this.#nodes[i].card ? ["card", "pill"] : ["pill"];
      this.#levels[i] = levels.find((level) => this.#fits(i, level, at, taken, dots)) ?? "dot";
    }
    this.#nodes.forEach((node, i) => {
      const level = this.#levels[i];
      if (node.level !== level) {
        node.level = level;
        node.group.replaceChildren(...(level ? [this.#shape(i, level)] : []));
        if (level) this.#name(i);
        this.#hang(node.group, level === "dot" ? this.dots : this.nodes);
      }
      if (level === "dot") node.group.removeAttribute("transform");
      else if (level) node.group.setAttribute("transform", `translate(${at[i].x.toFixed(1)} ${at[i].y.toFixed(1)})`);
    });
    this.shares.childNodes.forEach((text, i) => {
      const [p, q] = this.view.edges[i].map((end) => at[end]);
      text.classList.toggle("hidden", Math.hypot(p.x - q.x, p.y - q.y) < LINE * 5 || !this.view.isShown(i));
      text.setAttribute("x", (p.x + q.x) / 2);
      text.setAttribute("y", (p.y + q.y) / 2 + 4);
    });
    for (const { clique, path } of this.#areas) path.setAttribute("d", this.#outline(this.view.cliques[clique], at));
  }

  /* Move a variable to another layer; it stays in focus. */
  #hang(group, layer) {
    if (group.parentNode === layer) return;
    const focused = document.activeElement === group;
    layer.append(group);
    if (focused) group.focus({ preventScroll: true });
  }

  /* Whether there is room for a box: it may cover no other box, and no dot; that of a hub may cover a few. */
  #fits(i, level, at, taken, dots) {
    const { width, height } = this.#nodes[i][level];
    const { x, y } = at[i];
    const box = { left: x - width / 2 - 2, right: x + width / 2 + 2, top: y - height / 2 - 2, bottom: y + height / 2 + 2 };
    if (taken.some((other) => box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top)) return false;
    const near = this.view.near[i].length;
    let few = taken.length < ALWAYS ? Infinity : near < HUB ? 0 : MOST_COVERED;
    if (dots.some((dot) => dot.i !== i && dot.x > box.left - dot.radius / 2 && dot.x < box.right + dot.radius / 2 &&
      dot.y > box.top - dot.radius / 2 && dot.y < box.bottom + dot.radius / 2 &&
      few-- <= 0)) return false;
    taken.push(box);
    return true;
  }

  /* The convex outline of the boxes of a clique; its thick line rounds the corners. */
  #outline(clique, at) {
    const corners = clique.flatMap((i) => {
      const size = this.#nodes[i][this.#levels[i] ?? "dot"];
      const [dx, dy] = [size.width / 2 + 1, size.height / 2 + 1];
      return [[at[i].x - dx, at[i].y - dy], [at[i].x + dx, at[i].y - dy], [at[i].x - dx, at[i].y + dy], [at[i].x + dx, at[i].y + dy]];
    }).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const half = (points) => {
      const hull = [];
      for (const point of points) {
        while (hull.length > 1 && cross(hull.at(-2), hull.at(-1), point) <= 0) hull.pop();
        hull.push(point);
      }
      return hull.slice(0, -1);
    };
    return `M${[...half(corners), ...half([...corners].reverse())].map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join("L")}Z`;
  }

  fit(variables = this.#order) {
    this.#measure();
    if (!variables.length || !this.width) return;
    const largest = variables.length <= 40 ? 2 : variables.length > LARGE ? 1 : 1.5;
    const boxes = variables.map((i) => this.#nodes[i][this.cards && this.#nodes[i].card ? "card" : "pill"]);
    const span = (axis, side, scale) => {
      const [low, high] = [-1, 1].map((sign) => sign * Math.max(...variables.map((i, k) => sign * this.points[i][axis] * scale + boxes[k][side] / 2)));
      return [low, high];
    };
    const fits = (scale) => [["x", "width"], ["y", "height"]].every(([axis, side]) => {
      const [low, high] = span(axis, side, scale);
      return high - low <= this[side] - 2 * MARGIN - (side === "height" ? BUTTONS : 0);
    });
    let [low, high] = [0.05, largest];
    for (let i = 0; i < 24; i++) { const middle = (low + high) / 2; if (fits(middle)) low = middle; else high = middle; }
    const middle = (axis, side) => (this[side] - span(axis, side, low).reduce((a, b) => a + b)) / 2;
    this.camera.show(middle("x", "width"), middle("y", "height") - BUTTONS / 2, low);
  }

  zoom(factor) { this.camera.zoom(factor, this.width / 2, this.height / 2); }

  /* Bring a variable into view. */
  reveal(i) {
    const { x, y } = this.camera.at(this.points[i]);
    const scale = Math.max(this.camera.scale, this.#levels[i] === "dot" ? 0.8 : 0);
    const out = x < 60 || y < 40 || x > this.width - 60 || y > this.height - 40;
    if (!out && scale === this.camera.scale) return;
    this.camera.scale = scale;
    this.camera.pan(this.width / 2 - this.camera.at(this.points[i]).x, this.height / 2 - this.camera.at(this.points[i]).y);
  }

  focus(i) {
    this.#nodes.forEach(({ group }, j) => group.setAttribute("tabindex", i === j ? 0 : -1));
    this.reveal(i);
    this.paintNow();
    this.#nodes[i].group.focus({ preventScroll: true });
  }

  /* The nearest variable in a direction. */
  next(i, [dx, dy]) {
    const from = this.points[i];
    let best = i, least = Infinity;
    for (const j of this.#order) {
      const [x, y] = [this.points[j].x - from.x, this.points[j].y - from.y];
      const along = x * dx + y * dy;
      if (j === i || along <= 0) continue;
      const cost = along + 2.5 * Math.abs(x * dy - y * dx);
      if (cost < least) [best, least] = [j, cost];
    }
    return best;
  }

  get held() { return new Map(this.#held); }

  /* As it was before a variable was dragged. */
  putBack(held, name, point) {
    this.#held = held;
    const i = this.view.names.indexOf(name);
    if (i >= 0) this.points[i] = point;
    this.#placeLines();
    this.paint();
  }

  /* ---- Mouse and fingers ---- */

  #start = null;

  #drag(variable, dx, dy) {
    if (this.#start === null) {
      this.#start = variable;
      this.stage.classList.add("dragging");
      this.act.moved(this.view.names[variable], { ...this.points[variable] }, this.held);
    }
    const { x, y } = this.points[variable];
    this.points[variable] = { x: x + dx, y: y + dy };
    this.#held.set(this.view.names[variable], this.points[variable]);
    this.#placeLines();
    this.paint();
  }

  #under(target, event) {
    const node = target.closest(".node");
    if (node) return { variable: Number(node.dataset.variable) };
    const edge = this.#edgeAt(event);
    if (edge !== null) return { edge };
    const area = target.closest(".area");
    return area ? { clique: Number(area.dataset.clique) } : null;
  }

  #edgeAt(event) {
    const frame = this.stage.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.x, event.clientY - frame.y];
    let best = null, least = NEAR;
    this.view.edges.forEach(([a, b], i) => {
      if (!this.view.isShown(i) || this.view.hidden?.has(a) || this.view.hidden?.has(b)) return;
      const [p, q] = [this.camera.at(this.points[a]), this.camera.at(this.points[b])];
      const length = (q.x - p.x) ** 2 + (q.y - p.y) ** 2 || 1;
      const t = Math.min(1, Math.max(0, ((x - p.x) * (q.x - p.x) + (y - p.y) * (q.y - p.y)) / length));
      const away = Math.hypot(x - p.x - t * (q.x - p.x), y - p.y - t * (q.y - p.y));
      if (away < least) [best, least] = [i, away];
    });
    return best;
  }

  #measure() {
    this.width = this.stage.clientWidth;
    this.height = this.stage.clientHeight;
    if (this.width) this.stage.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
  }

  #resized() {
    if (matchMedia("print").matches) return;
    this.#measure();
    if (this.view && !this.camera.touched) this.fit(); else this.paint();
  }
}

const cross = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
const mode = (shares) => shares.indexOf(Math.max(...shares));
const key = (view) => `${view.names.join("\n")}\n\n${view.edges.join(" ")}`;

/* A colour for each clique such that cliques that share a variable differ where possible. */
function clique_colours(cliques) {
  const chosen = [];
  const holding = new Map();
  cliques.forEach((clique, i) => {
    const used = Array(COLOURS).fill(0);
    clique.forEach((variable) => (holding.get(variable) ?? []).forEach((other) => used[chosen[other]]++));
    chosen[i] = used.indexOf(Math.min(...used));
    clique.forEach((variable) => holding.set(variable, [...(holding.get(variable) ?? []), i]));
  });
  return chosen;
}
