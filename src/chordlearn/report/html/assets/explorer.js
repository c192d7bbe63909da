/*
 * The explorer of a network: a stage, a panel, and what is known. Give it a document (see `explorer_document` in Python),
 * and later the next one: evidence, dragged places, selection and zoom stay.
 */
import { button, element, percent } from "./dom.js";
import { prepare, propagate } from "./inference.js";
import { components, stepsFrom } from "./placement.js";
import { Drawing } from "./drawing.js";
import { Panel } from "./panel.js";

const FEW = 25, CARDS = 12, MANY = 80, NARROW = 560;
const THINNEST = 1, THICKEST = 5.5, ALIKE = 1.6;
const MOST_UNDONE = 100;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Explorer extends EventTarget {
  #evidence = {}; #undo = []; #constraints = { require: [], forbid: [] }; #selection = null; #document = null; #reference = null;
  #shown = Infinity; #reach = Infinity; #weight = 0;
  view = null;
  pairing = false;

  constructor(root, { actions = [] } = {}) {
    super();
    this.actions = actions;
    this.drawing = new Drawing({
      tap: (what, event, state) => this.#tap(what, event, state),
      point: (what, x, y) => this.#point(what, x, y),
      moved: (name, from, held) => this.#remember({ held, back: [name, from] }),
    });
    this.panel = new Panel(this);
    this.tooltip = element("div", { class: "tooltip about", role: "tooltip", hidden: true });
    this.frame = element("div", { class: "frame" }, this.drawing.stage, this.#makeZoom(),
      element("p", { class: "stage-hint", text: "Click, then scroll to zoom · drag · Shift and click a second variable to compare" }));
    this.tools = this.#makeTools();
    root.classList.add("explorer");
    root.replaceChildren(this.tools, element("div", { class: "beside" }, this.frame, this.panel.root), this.tooltip);
    this.root = root;
    this.drawing.stage.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("keydown", (event) => this.#shortcut(event));
    addEventListener("beforeprint", () => this.panel.print(true));
    addEventListener("afterprint", () => this.panel.print(false));
  }

  /* ---- The network ---- */

  update(given, { reference = this.#reference } = {}) {
    const before = this.view;
    this.#document = given;
    this.#reference = reference;
    this.view = this.#makeView();
    const { view } = this;
    const same = before && before.names.join("\n") === view.names.join("\n") && JSON.stringify(before.states) === JSON.stringify(view.states);
    if (!before) {
      this.cards.checked = view.beliefs !== null && view.names.length <= (this.frame.clientWidth < NARROW ? CARDS / 2 : CARDS);
      this.hulls.checked = view.names.length <= FEW;
    }
    view.allCliques = this.hulls.checked;
    this.#limitEdges();
    this.panel.view = view;
    this.drawing.draw(view, this.cards.checked);
    this.panel.draw(view, same);
    this.cards.parentElement.hidden = !view.beliefs;
    this.root.classList.toggle("many", view.names.length > FEW);
  }

  #makeView() {
    const { variables: names, states = null, cliques, losses = null, weights = [], note = "No tables: evidence cannot be set." } = this.#document;
    const near = names.map(() => new Set());
    cliques.forEach((clique) => clique.forEach((a) => clique.forEach((b) => { if (a !== b) near[a].add(b); })));
    const listed = near.map((others) => [...others].sort((a, b) => a - b));
    const edges = this.#document.edges ?? listed.flatMap((others, a) => others.filter((b) => b > a).map((b) => [a, b]));
    const number = new Map(edges.map(([a, b], i) => [a < b ? `${a} ${b}` : `${b} ${a}`, i]));
    const place = new Map(names.map((text, i) => [text, i]));
    const view = {
      names, states, cliques, edges, losses, weights, note, near: listed,
      place, edgeOf: (a, b) => number.get(a < b ? `${a} ${b}` : `${b} ${a}`),
      weight: this.#measure(weights),
      canAsk: Boolean(this.#document.tables && this.#document.forest),
    };
    if (view.canAsk) {
      const { values, cells } = this.#document.tables;
      view.forest = prepare({ states, cliques, forest: this.#document.forest, tables: cells.map((row) => row.map((cell) => values[cell])) });
      view.priors = propagate(view.forest, new Map()).marginals;
    } else view.priors = this.#document.marginals ?? null;
    this.#compare(view);
    this.#weigh(view);
    this.#believe(view);
    this.#resolve(view);
    return view;
  }

  /* Edges that a reference lacks, and those that only it has; required and forbidden ones. */
  #compare(view) {
    const pairs = (list) => (list ?? []).map((ends) => ends.map((text) => view.place.get(text))).filter((ends) => !ends.includes(undefined));
    view.marks = view.edges.map(() => null);
    view.ghosts = (this.#document.likely ?? []).map(({ edge: ends, probability }) => ({
      ends, kind: "likely", width: 0.8 + 3 * probability,
      title: `${ends.map((end) => view.names[end]).join(" – ")}: ${percent(probability)} over all networks`,
    }));
    if (this.#reference) {
      const kept = new Set(pairs(this.#reference).map(([a, b]) => view.edgeOf(a, b)));
      view.marks = view.edges.map((_, i) => (kept.has(i) ? "kept" : "gained"));
      pairs(this.#reference).forEach(([a, b]) => { if (view.edgeOf(a, b) === undefined) view.ghosts.push({ ends: [a, b], kind: "lost" }); });
    }
    for (const kind of ["require", "forbid"]) {
      pairs(this.#constraints[kind]).forEach(([a, b]) => {
        const edge = view.edgeOf(a, b);
        if (edge === undefined) view.ghosts.push({ ends: [a, b], kind: `${kind}d`.replace("forbidd", "forbidden") });
        else view.marks[edge] = [view.marks[edge], kind === "require" ? "required" : "forbidden"].filter(Boolean).join(" ");
      });
    }
  }

  /* What the width of an edge shows; shares are written at the edges too. */
  #measure(weights) {
    const chosen = weights[this.#weight] ?? weights[0];
    return chosen ? { ...chosen, shares: /probability|frequency/.test(chosen.name) } : null;
  }

  #weigh(view) {
    const values = view.weight?.values;
    const largest = values && (view.weight.largest ?? Math.max(...values, 1e-12));
    const slim = view.names.length > 120 ? 0.6 : 1;
    const share = (i) => (values ? Math.sqrt(Math.max(0, values[i]) / largest) : 0.5);
    view.strong = view.edges.map((_, i) => (view.edges.length > MANY ? 0.3 + 0.7 * share(i) : 1));
    // Where there are many edges, strong ones draw their ends together.
    view.lengths = view.edges.map((_, i) => (values && view.edges.length > 2 * view.names.length ? 2.2 - 1.2 * share(i) : 1));
    view.widths = view.edges.map((_, i) => slim * (values ? THINNEST + (THICKEST - THINNEST) * share(i) : ALIKE));
    const ranks = [...view.edges.keys()].sort((a, b) => (values ? values[b] - values[a] : a - b));
    const rank = [];
    ranks.forEach((edge, position) => { rank[edge] = position; });
    view.isShown = (edge) => rank[edge] < this.#shown;
  }

  #believe(view) {
    const evidence = new Map();
    if (view.states) {
      for (const [text, label] of Object.entries(this.#evidence)) {
        const i = view.place.get(text);
        const state = i === undefined ? -1 : view.states[i].indexOf(label);
        if (state >= 0) evidence.set(i, state);
      }
    }
    const answer = view.canAsk ? propagate(view.forest, evidence) : null;
    view.evidence = evidence;
    view.logProbability = answer?.logProbability ?? 0;
    view.impossible = view.canAsk && answer.marginals === null;
    view.beliefs = view.canAsk ? answer.marginals ?? view.states.map((labels) => labels.map(() => NaN)) : view.priors;
    view.cliqueBeliefs = answer?.cliques ?? null;
  }

  /* The selection by number, and what belongs to it. */
  #resolve(view) {
    const numbers = (list) => list.map((text) => view.place.get(text));
    const chosen = this.#selection;
    view.selection = null;
    if (chosen?.variable !== undefined && view.place.has(chosen.variable)) view.selection = { variable: view.place.get(chosen.variable) };
    for (const kind of ["edge", "pair"]) {
      const ends = chosen?.[kind] && numbers(chosen[kind]);
      if (!ends || ends.includes(undefined)) continue;
      const edge = view.edgeOf(...ends);
      view.selection = edge === undefined ? { pair: ends } : { edge };
    }
    if (chosen?.clique) {
      const wanted = numbers(chosen.clique).sort((a, b) => a - b).join();
      const clique = view.cliques.findIndex((members) => [...members].sort((a, b) => a - b).join() === wanted);
      if (clique >= 0) view.selection = { clique };
    }
    const { selection } = view;
    view.related = !selection ? null : new Set(selection.variable !== undefined ? [selection.variable, ...view.near[selection.variable]]
      : selection.clique !== undefined ? view.cliques[selection.clique]
        : selection.edge !== undefined ? view.edges[selection.edge] : [...selection.pair, ...(this.separator(...selection.pair, view) ?? [])]);
    this.#hide(view);
  }

  /* In the view of a neighbourhood, everything farther away is hidden. */
  #hide(view) {
    const { selection } = view;
    view.hidden = null;
    const starts = !selection ? [] : selection.variable !== undefined ? [selection.variable] : [...view.related];
    if (!starts.length || this.#reach === Infinity) return;
    const within = new Set(starts.flatMap((start) => [...stepsFrom(view.near, start)].filter(([, steps]) => steps <= this.#reach).map(([i]) => i)));
    view.hidden = new Set([...view.names.keys()].filter((i) => !within.has(i)));
  }

  /* What separates two variables without an edge: the neighbours of one that the other can be reached from. Null if they are not connected. */
  separator(a, b, view = this.view) {
    const around = new Set(view.near[a]);
    const rest = [...view.names.keys()].filter((i) => i !== a && !around.has(i));
    const part = components(view.near, rest).find((members) => members.includes(b));
    const between = [...new Set(part.flatMap((i) => view.near[i]))].filter((i) => around.has(i));
    return between.length ? between.sort((i, j) => i - j) : null;
  }

  /* ---- What others may ask and set ---- */

  get evidence() { return { ...this.#evidence }; }
  get logProbability() { return this.view.logProbability; }
  get canUndo() { return this.#undo.length > 0; }
  get constraints() { return this.#constraints; }

  get beliefs() {
    const { view } = this;
    return view.beliefs && Object.fromEntries(view.names.map((text, i) => [text, [...view.beliefs[i]]]));
  }

  set constraints(given) {
    this.#constraints = { require: given.require ?? [], forbid: given.forbid ?? [] };
    if (this.#document) this.update(this.#document);
  }

  setEvidence(evidence, byHand = false) {
    if (byHand) this.#remember({ evidence: this.evidence });
    this.#evidence = { ...evidence };
    if (!this.view) return;
    this.#believe(this.view);
    this.#refresh();
    if (byHand) this.tell("evidence", { evidence: this.evidence });
  }

  select(what) {
    this.#selection = what;
    this.pairing = false;
    if (!this.view) return;
    this.#resolve(this.view);
    this.#refresh();
    if (this.view.hidden || (this.#reach !== Infinity && !what)) this.drawing.fit();
    if (this.view.selection?.variable !== undefined) this.panel.reveal(this.view.selection.variable);
  }

  fit() { this.drawing.fit(); }

  undo() {
    const last = this.#undo.pop();
    if (!last) return;
    if (last.held) {
      this.drawing.putBack(last.held, ...last.back);
      this.#refresh();
    } else {
      this.setEvidence(last.evidence);
      this.tell("evidence", { evidence: this.evidence });
    }
  }

  tell(event, detail) { this.dispatchEvent(new CustomEvent(event, { detail })); }

  /* The picture as a file that needs no style sheet of the page. */
  svgText() {
    const { stage } = this.drawing;
    this.drawing.paintNow();
    const copy = stage.cloneNode(true);
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
      .filter((rule) => rule.selectorText && /(^|,\s*)(:root$|\.stage)/.test(rule.selectorText)).map((rule) => rule.cssText).join("\n");
    const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
    style.textContent = rules.replaceAll(":root", "svg");
    copy.prepend(style);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", stage.clientWidth);
    copy.setAttribute("height", stage.clientHeight);
    return new XMLSerializer().serializeToString(copy);
  }

  /* What is believed, as a table; the same numbers with all their digits. */
  csvText() {
    // A text that a spreadsheet would compute gets an apostrophe in front.
    const tame = (text) => (/^[=+\-@\t\r＝＋－＠]/.test(text) && !/^[+-][0-9.,eE+-]*$/.test(text) ? `'${text}` : text);
    const quoted = (text) => (/[",\n\r]/.test(text) ? `"${tame(text).replaceAll('"', '""')}"` : tame(text));
    const { names, states, beliefs, evidence } = this.view;
    const rows = names.flatMap((text, i) => states[i].map((label, state) =>
      [quoted(text), quoted(label), beliefs[i][state], evidence.get(i) === state ? "yes" : ""].join(",")));
    return ["variable,state,probability,known", ...rows, ""].join("\n");
  }

  /* ---- Choosing ---- */

  /* By number, as the person did it. */
  choose(what) {
    const { view } = this;
    const text = (list) => list.map((i) => view.names[i]);
    let chosen = null;
    if (what?.variable !== undefined) {
      const first = this.#selection?.variable;
      chosen = this.pairing && first !== undefined && first !== view.names[what.variable]
        ? { pair: [first, view.names[what.variable]] } : { variable: view.names[what.variable] };
    } else if (what?.edge !== undefined) chosen = { edge: text(view.edges[what.edge]) };
    else if (what?.clique !== undefined) chosen = { clique: text(view.cliques[what.clique]) };
    this.select(chosen);
    this.tell("select", chosen);
  }

  startPair(i) {
    this.select({ variable: this.view.names[i] });
    this.pairing = true;
    this.#refresh();
    this.panel.search.focus();
  }

  /* Say that a state is known, or take it back. */
  know(i, state) {
    if (!this.view.canAsk) return;
    const evidence = this.evidence;
    const { names, states } = this.view;
    if (evidence[names[i]] === states[i][state]) delete evidence[names[i]];
    else evidence[names[i]] = states[i][state];
    this.setEvidence(evidence, true);
  }

  #remember(step) { this.#undo = [...this.#undo, step].slice(-MOST_UNDONE); }

  #refresh() {
    this.drawing.refresh();
    this.panel.refresh();
  }

  #tap(what, event, state) {
    this.#point(null);
    if (state !== undefined) { this.know(what.variable, Number(state)); return; }
    if (event.shiftKey && what?.variable !== undefined) this.pairing = true;
    const { selection } = this.view;
    const again = what && !this.pairing && selection && Object.entries(what).every(([kind, i]) => selection[kind] === i);
    this.choose(again ? null : what);
  }

  #point(what, x, y) {
    const { tooltip } = this;
    tooltip.hidden = !what;
    if (!what) return;
    const key = JSON.stringify(what);
    if (tooltip.dataset.what !== key || tooltip.dataset.of !== String(this.view.logProbability)) {
      tooltip.replaceChildren(...this.panel.about(what));
      tooltip.dataset.what = key;
      tooltip.dataset.of = String(this.view.logProbability);
    }
    const left = x + 16 + tooltip.offsetWidth > innerWidth ? x - 16 - tooltip.offsetWidth : x + 16;
    tooltip.style.left = `${Math.max(4, left)}px`;
    tooltip.style.top = `${Math.max(4, Math.min(y + 16, innerHeight - tooltip.offsetHeight - 8))}px`;
  }

  /* ---- Keys ---- */

  #key(event) {
    const { drawing, view } = this;
    const focused = document.activeElement.closest?.(".node");
    const i = focused ? Number(focused.dataset.variable) : null;
    const act = {
      "+": () => drawing.zoom(1.3), "=": () => drawing.zoom(1.3), "-": () => drawing.zoom(1 / 1.3), "0": () => drawing.fit(),
      Enter: () => {
        if (i === null) return;
        if (view.selection?.variable !== i) this.#tap({ variable: i }, event);
        if (view.selection?.variable === i) this.panel.focusState(i);
      },
      " ": () => { if (i !== null) this.#tap({ variable: i }, event); },
      Escape: () => this.choose(null),
    }[event.key];
    const way = ARROWS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || (!act && !way)) return;
    event.preventDefault();
    if (act) act();
    else if (event.shiftKey || i === null) drawing.camera.pan(-60 * way[0], -60 * way[1]);
    else drawing.focus(drawing.next(i, way));
  }

  #shortcut(event) {
    // Of two beside each other the first listens, unless somebody is in the other.
    const own = document.activeElement.closest?.(".explorer") ?? document.querySelector(".explorer");
    if (own !== this.root) return;
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "Escape") { this.#point(null); if (!typing && this.root.contains(event.target)) this.choose(null); }
    if (typing || !this.view) return;
    if (event.key === "/" && !event.ctrlKey && !event.metaKey) { event.preventDefault(); this.panel.search.focus(); }
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && this.canUndo) { event.preventDefault(); this.undo(); }
  }

  /* ---- Tools ---- */

  #makeZoom() {
    const tool = (text, label, act) => button(text, act, { "aria-label": label, title: label });
    return element("div", { class: "zoom" },
      tool("+", "Zoom in", () => this.drawing.zoom(1.4)), tool("−", "Zoom out", () => this.drawing.zoom(1 / 1.4)),
      tool("Fit", "Fit all in", () => this.drawing.fit()));
  }

  #makeTools() {
    const box = (text, change) => element("input", { type: "checkbox", on: { change } });
    const label = (text, input) => element("label", {}, input, element("span", { text }));
    this.cards = box("", () => { this.drawing.cards = this.cards.checked; this.drawing.paint(); });
    this.hulls = box("", () => { this.view.allCliques = this.hulls.checked; this.drawing.refresh(); });
    this.reach = element("select", { on: { change: () => {
      this.#reach = this.reach.value ? Number(this.reach.value) : Infinity;
      this.#resolve(this.view);
      this.#refresh();
      this.drawing.fit();
    } } }, [["", "everything"], ["1", "its neighbours"], ["2", "two steps"], ["3", "three steps"]].map(([value, text]) => element("option", { value, text })));
    this.strongest = element("input", { type: "range", min: 0, step: 1, class: "strongest", on: { input: () => {
      this.#shown = Number(this.strongest.value);
      this.#limitEdges();
      this.drawing.refresh();
    } } });
    this.strongestText = element("output");
    this.meaning = element("select", { "aria-label": "What the width of an edge shows", on: { change: () => {
      this.#weight = Number(this.meaning.value);
      this.view.weight = this.#measure(this.view.weights);
      this.#weigh(this.view);
      this.drawing.refresh();
    } } });
    const save = element("details", { class: "menu" }, element("summary", { text: "Save" }), element("div", {},
      button("Picture (SVG)", () => this.#download("network.svg", this.svgText(), "image/svg+xml")),
      button("Beliefs (CSV)", () => this.#download("beliefs.csv", this.csvText(), "text/csv"), { class: "beliefs" })));
    return element("div", { class: "tools", role: "group", "aria-label": "What the picture shows" },
      label("Beliefs", this.cards), label("Cliques", this.hulls),
      element("label", {}, element("span", { text: "Around the selection" }), this.reach),
      element("label", { class: "range" }, element("span", { text: "Edges" }), this.strongest, this.strongestText), this.meaning, save);
  }

  #limitEdges() {
    const { edges, weights } = this.view;
    this.strongest.max = edges.length;
    this.strongest.value = Math.min(this.#shown, edges.length);
    if (this.#shown >= edges.length) this.#shown = Infinity;
    this.strongest.parentElement.hidden = !weights.length || edges.length < 2;
    this.strongestText.textContent = this.#shown === Infinity ? `all ${edges.length}` : `${this.#shown} strongest of ${edges.length}`;
    this.meaning.hidden = weights.length < 2;
    this.meaning.replaceChildren(...weights.map(({ name: text }, value) => element("option", { value, text, selected: value === this.#weight })));
  }

  #download(file, content, type) {
    const link = element("a", { href: URL.createObjectURL(new Blob([content], { type })), download: file });
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
