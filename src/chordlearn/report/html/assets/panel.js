/* Beside the stage: find a variable, what is known, what is selected, and every variable with its distribution. */
import { button, element, name, number, percent, table } from "./dom.js";
import { projection, summed } from "./inference.js";

const ALL_OPEN = 12, MOST_CELLS = 12;
const ORDERS = [["columns", "as in table"], ["name", "by name"], ["change", "by change"]];

export class Panel {
  #items = []; #open = new Set(); #order = "columns";

  constructor(explorer) {
    this.explorer = explorer;
    this.search = element("input", {
      type: "search", id: "search", placeholder: "Find a variable ( / )", "aria-label": "Find a variable", autocomplete: "off",
      on: { input: () => this.#filter(), keydown: (event) => this.#typed(event) },
    });
    this.order = element("select", { "aria-label": "Order of the variables", on: { change: () => this.#sort() } },
      ORDERS.map(([value, text]) => element("option", { value, text })));
    this.known = element("p", { class: "evidence", role: "status", tabindex: "0" });
    this.clear = button("Clear", () => explorer.setEvidence({}, true), { class: "clear" });
    this.back = button("Undo", () => explorer.undo(), { class: "undo", title: "Undo (Ctrl+Z)" });
    this.knownBox = element("div", { class: "known-box" }, this.known, this.back, this.clear);
    this.selection = element("div", {
      class: "selection about", "aria-live": "polite", tabindex: "0", role: "region", "aria-label": "Selection",
    });
    this.list = element("ul", { class: "variables", "aria-label": "Variables", on: { keydown: (event) => this.#arrows(event) } });
    this.nothing = element("p", { class: "quiet", text: "No variable has such a name.", hidden: true });
    this.root = element("div", { class: "panel", role: "group", "aria-label": "Variables and evidence" },
      element("div", { class: "find" }, this.search, this.order), this.knownBox, this.selection, this.nothing, this.list);
  }

  /* ---- A network ---- */

  draw(view, same) {
    this.view = view;
    if (!same) {
      this.#open = new Set(view.names.length <= ALL_OPEN ? view.names.keys() : []);
      this.#items = view.names.map((_, i) => this.#makeItem(i));
      this.list.replaceChildren(...this.#items.map(({ item }) => item));
    }
    this.refresh();
  }

  #makeItem(i) {
    const { names } = this.view;
    const strip = element("span", { class: "strip", "aria-hidden": "true" });
    const likely = element("span", { class: "likely" });
    const row = element("button", {
      type: "button", class: "row", "data-row": i, on: { click: () => this.#toggle(i) },
    }, name(names[i]), strip, likely);
    const body = element("div", { class: "states", hidden: true });
    const item = element("li", { "data-variable": i }, row, body);
    return { item, row, strip, likely, body, states: null };
  }

  #toggle(i) {
    const { explorer, view } = this;
    const chosen = view.selection?.variable === i;
    if (this.#open.has(i) && (chosen || view.names.length <= ALL_OPEN)) this.#open.delete(i); else this.#open.add(i);
    explorer.choose(chosen && !this.#open.has(i) ? null : { variable: i });
  }

  #makeStates(i) {
    const { states } = this.view;
    return states[i].map((label, state) => element("button", {
      type: "button", class: "state", "data-variable": i, "data-state": state, on: { click: () => this.explorer.know(i, state) },
    }, name(label, { class: "label", title: label }),
    element("span", { class: "track" }, element("span", { class: "bar" }), element("span", { class: "before" })),
    element("span", { class: "percent" })));
  }

  /* ---- What is believed, known and selected ---- */

  refresh() {
    const { view } = this;
    const { evidence, selection, beliefs } = view;
    this.#items.forEach((entry, i) => {
      const open = this.#open.has(i) || selection?.variable === i || evidence.has(i);
      entry.item.className = [evidence.has(i) && "known", (selection?.variable === i || selection?.pair?.includes(i)) && "selected"].filter(Boolean).join(" ");
      entry.row.setAttribute("aria-expanded", String(open));
      entry.body.hidden = !open;
      const shares = beliefs?.[i];
      const best = shares ? shares.indexOf(Math.max(...shares)) : -1;
      entry.likely.replaceChildren(...(best >= 0 ? [name(view.states[i][best]), ` ${percent(shares[best])}`] : []));
      entry.strip.replaceChildren(...(shares ? [...shares].map((share, state) => {
        const part = element("span", { class: `shade-${Math.min(state, 5)}` });
        part.style.width = `${100 * share}%`;
        return part;
      }) : []));
      if (open) this.#fill(entry, i);
    });
    this.#sayKnown();
    this.selection.replaceChildren(...this.about(selection, true));
    this.selection.hidden = !this.selection.childNodes.length;
    if (this.#order === "change") this.#sort();
    this.#filter();
  }

  #fill(entry, i) {
    const { view } = this;
    if (view.states && !entry.states) entry.states = this.#makeStates(i);
    (view.states ? entry.states : []).forEach((made, state) => {
      const share = view.beliefs ? view.beliefs[i][state] : NaN;
      made.disabled = !view.canAsk;
      made.dataset.probability = String(share);
      made.setAttribute("aria-pressed", String(view.evidence.get(i) === state));
      made.querySelector(".bar").style.width = `${100 * (share || 0)}%`;
      const before = made.querySelector(".before");
      before.hidden = !view.priors || !view.evidence.size;
      if (view.priors) before.style.left = `${100 * view.priors[i][state]}%`;
      made.querySelector(".percent").textContent = percent(share);
    });
    const links = view.near[i].map((other) => {
      const edge = view.edgeOf(i, other);
      return { other, weight: view.weight?.values[edge] ?? 0, edge };
    }).sort((a, b) => b.weight - a.weight);
    const near = links.length
      ? element("p", { class: "near" }, "Neighbours: ", links.map(({ other, edge }) =>
        button("", () => this.explorer.choose({ edge }), { class: "chip", title: "why this edge" })).map((made, k) => {
        made.append(name(view.names[links[k].other]));
        return made;
      }))
      : element("p", { class: "near quiet", text: "Independent of all others." });
    const ask = view.selection?.variable === i && view.names.length > 1
      ? button(this.explorer.pairing ? "Choose the other variable …" : "Compare with another …", () => this.explorer.startPair(i), { class: "quiet-button", "data-action": "pair" }) : null;
    entry.body.replaceChildren(...(entry.states && view.states ? entry.states : []), near, ...(ask ? [ask] : []));
  }

  #sayKnown() {
    const { view } = this;
    const { names, states, evidence, logProbability } = view;
    const said = [...evidence].flatMap(([i, state], k) => [k ? ", " : "", name(names[i]), " = ", name(states[i][state])]);
    this.known.dataset.logProbability = String(logProbability);
    if (!evidence.size) this.known.replaceChildren(view.canAsk ? "Nothing is set. Choose a state to say that it is known." : view.note);
    else if (!view.canAsk) this.known.replaceChildren("Set, once tables are there: ", ...said);
    else if (view.impossible) this.known.replaceChildren(...said, ": this has probability zero, so nothing follows from it.");
    else this.known.replaceChildren("Known: ", ...said, ` · probability ${Math.exp(logProbability).toPrecision(4)}`);
    this.clear.hidden = !evidence.size;
    this.back.hidden = !this.explorer.canUndo;
  }

  /* ---- What is known of a variable, an edge, a clique, two variables: for the panel and beside the pointer ---- */

  about(what, inPanel = false) {
    const { view } = this;
    if (!what) return [];
    const heading = (...parts) => element(inPanel ? "h2" : "p", { class: "heading" }, parts);
    const joined = (variables) => variables.flatMap((i, k) => [k ? ", " : "", name(view.names[i])]);
    if (what.variable !== undefined) {
      const i = what.variable;
      if (inPanel) return [];
      const rows = view.beliefs ? view.states[i].map((label, state) => [name(label), percent(view.beliefs[i][state])]) : [];
      const near = view.near[i];
      return [heading(name(view.names[i])), rows.length ? table([], rows.slice(0, MOST_CELLS)) : null,
        element("p", { class: "quiet" }, near.length ? `${near.length} ${near.length === 1 ? "neighbour" : "neighbours"}` : "Independent of all others")].filter(Boolean);
    }
    if (what.clique !== undefined) {
      const clique = view.cliques[what.clique];
      return [heading(`Clique of ${clique.length}`), element("p", {}, joined(clique)), ...this.#joint(what.clique, clique)];
    }
    const edge = what.edge !== undefined;
    const [a, b] = edge ? view.edges[what.edge] : what.pair;
    const parts = [heading(name(view.names[a]), " – ", name(view.names[b]))];
    if (edge) {
      view.weights.forEach(({ name: text, values }) => parts.push(element("p", { text: `${text}: ${number(values[what.edge], 4)}` })));
      const loss = view.losses?.[what.edge];
      if (view.losses) parts.push(element("p", { text: loss === null ? "Without it the network would not be chordal." : `Score lost without it: ${number(loss)}` }));
      const common = view.near[a].filter((i) => view.near[b].includes(i));
      if (common.length && inPanel) parts.push(element("p", { class: "quiet" }, "Common neighbours: ", joined(common)));
      const holding = view.cliques.findIndex((clique) => clique.includes(a) && clique.includes(b));
      parts.push(...this.#joint(holding, [a, b]));
    } else {
      const between = this.explorer.separator(a, b);
      parts.push(element("p", {}, "No edge: ", ...(between === null || !between.length ? ["the two are independent."]
        : ["independent once ", joined(between), between.length === 1 ? " is known." : " are known."])));
    }
    if (inPanel) parts.push(this.#actions(a, b, edge));
    return parts;
  }

  #actions(a, b, present) {
    const { explorer, view } = this;
    const ends = [view.names[a], view.names[b]];
    const answer = element("div", { class: "answer", role: "status" });
    const given = present ? view.near[a].filter((i) => view.near[b].includes(i)) : explorer.separator(a, b) ?? [];
    const details = {
      why: { edge: ends, present, given: given.map((i) => view.names[i]), show: (content) => answer.replaceChildren(content) },
      require: { edge: ends }, forbid: { edge: ends },
    };
    const labels = { why: present ? "Why is it there?" : "Why is it not there?", require: "Require", forbid: "Forbid" };
    return element("div", { class: "actions" }, explorer.actions.map((action) =>
      button(labels[action], () => explorer.tell(action, details[action]), { "data-action": action })), answer);
  }

  /* The joint distribution of some variables of one clique under the evidence. */
  #joint(clique, variables) {
    const { cliqueBeliefs, states, names, cliques } = this.view;
    if (!cliqueBeliefs) return [];
    const sizes = states.map((labels) => labels.length);
    const cells = variables.reduce((product, i) => product * sizes[i], 1);
    const total = cliqueBeliefs[clique].reduce((sum, value) => sum + value, 0);
    const shares = summed(cliqueBeliefs[clique], projection(cliques[clique], variables, sizes), cells);
    const rows = [...shares].map((share, cell) => {
      const labels = [];
      for (let rest = cell, k = variables.length - 1; k >= 0; k--) {
        labels.unshift(states[variables[k]][rest % sizes[variables[k]]]);
        rest = Math.floor(rest / sizes[variables[k]]);
      }
      return { labels, share: share / total };
    });
    if (rows.length > MOST_CELLS) rows.sort((p, q) => q.share - p.share);
    const shown = rows.slice(0, MOST_CELLS).map(({ labels, share }) => [...labels.map((label) => name(label)), percent(share)]);
    const note = rows.length > MOST_CELLS ? [element("p", { class: "quiet", text: `the ${MOST_CELLS} most probable of ${rows.length}` })] : [];
    return [table([...variables.map((i) => name(names[i])), "share"], shown), ...note];
  }

  /* ---- Finding ---- */

  #matches() {
    const wanted = this.search.value.trim().toLocaleLowerCase();
    return this.view.names.map((text, i) => [text.toLocaleLowerCase(), i]).filter(([text]) => text.includes(wanted))
      .sort(([a], [b]) => b.startsWith(wanted) - a.startsWith(wanted)).map(([, i]) => i);
  }

  #filter() {
    const found = new Set(this.#matches());
    this.#items.forEach(({ item }, i) => { item.hidden = !found.has(i); });
    this.nothing.hidden = found.size > 0;
  }

  #typed(event) {
    if (event.key === "Enter" && this.#matches().length) {
      const exact = this.#matches()[0];
      event.preventDefault();
      this.search.value = "";
      this.explorer.choose({ variable: exact });
      this.explorer.drawing.reveal(exact);
      (this.#items[exact].states?.find((state) => !state.disabled) ?? this.#items[exact].row).focus();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      this.list.querySelector("li:not([hidden]) .row")?.focus();
    } else if (event.key === "Escape") {
      this.search.value = "";
      this.#filter();
    }
  }

  #arrows(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const all = [...this.list.querySelectorAll("li:not([hidden]) :is(.row, .states:not([hidden]) .state:enabled)")];
    const at = all.indexOf(document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    (all[at + step] ?? this.search).focus();
  }

  #sort() {
    this.#order = this.order.value;
    const { names, beliefs, priors } = this.view;
    const change = (i) => (beliefs && priors ? [...beliefs[i]].reduce((total, share, s) => total + Math.abs(share - priors[i][s]), 0) : 0);
    const by = { columns: (i, j) => i - j, name: (i, j) => names[i].localeCompare(names[j]), change: (i, j) => change(j) - change(i) || i - j }[this.#order];
    const focused = document.activeElement;
    this.list.append(...[...names.keys()].sort(by).map((i) => this.#items[i].item));
    if (this.list.contains(focused)) focused.focus();
  }

  /* Show the item of a variable, scrolling the list and not the page. */
  reveal(i) {
    const { item } = this.#items[i];
    const top = item.offsetTop - this.list.offsetTop;
    if (top < this.list.scrollTop || top + item.offsetHeight > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = top - 8;
  }

  focusState(i) { (this.#items[i].states?.find((state) => !state.disabled) ?? this.#items[i].row).focus(); }

  /* On paper everything is open where that takes few pages. */
  print(on) {
    if (!this.view || this.view.names.length > 60) return;
    this.#items.forEach((entry, i) => {
      if (on) this.#fill(entry, i);
      entry.body.hidden = !(on || entry.row.getAttribute("aria-expanded") === "true");
    });
  }
}
