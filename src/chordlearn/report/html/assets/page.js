"use strict";
(() => {
  const facts = JSON.parse(document.getElementById("facts").textContent);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const names = (variables) => variables.map((variable) => facts.variables[variable]).join(", ");
  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  const MOST_ROWS = 12;

  /* Texts from the data only ever become text nodes. */
  function element(tag, text, ...children) {
    const made = document.createElement(tag);
    if (text !== null) made.textContent = text;
    made.append(...children);
    return made;
  }

  function table(heads, rows) {
    const head = element("tr", null, ...heads.map((text) => element("th", text)));
    const body = rows.map((cells) => element("tr", null, ...cells.map((text) => element("td", text))));
    return element("table", null, element("thead", null, head), element("tbody", null, ...body));
  }

  /* ---- What is known of a variable, an edge, a clique ---- */

  const inClique = (clique, ...variables) => variables.every((variable) => facts.cliques[clique].includes(variable));
  const cliquesWith = (...variables) => facts.cliques.map((_, i) => i).filter((i) => inClique(i, ...variables));
  const neighbours = (variable) => facts.edges.filter((edge) => edge.includes(variable))
    .map(([a, b]) => (a === variable ? b : a));

  /* The joint distribution of some variables of one clique, as rows of states and a probability. */
  function jointRows(clique, variables) {
    const sizes = facts.states.map((labels) => labels.length);
    const place = JunctionForest.projection(facts.cliques[clique], variables, sizes);
    const totals = [];
    facts.tables[clique].forEach((value, cell) => { totals[place[cell]] = (totals[place[cell]] || 0) + value; });
    return totals.map((value, cell) => {
      const states = [];
      let rest = cell;
      for (let i = variables.length - 1; i >= 0; i--) {
        states.unshift(facts.states[variables[i]][rest % sizes[variables[i]]]);
        rest = Math.floor(rest / sizes[variables[i]]);
      }
      return { states, value };
    });
  }

  function jointTable(clique, variables) {
    const rows = jointRows(clique, variables);
    if (rows.length > MOST_ROWS) rows.sort((a, b) => b.value - a.value);
    const shown = rows.slice(0, MOST_ROWS).map(({ states, value }) => [...states, percent(value)]);
    const made = [table([...variables.map((variable) => facts.variables[variable]), "share"], shown)];
    if (rows.length > MOST_ROWS) made.push(element("p", `the ${MOST_ROWS} most probable of ${rows.length}`));
    return made;
  }

  const about = {
    variable(variable) {
      const near = neighbours(variable);
      const parts = [element("h4", facts.variables[variable])];
      if (facts.tables) parts.push(...jointTable(cliquesWith(variable)[0], [variable]));
      parts.push(element("p", near.length ? `Neighbours: ${names(near)}` : "Independent of all others"));
      return parts;
    },
    edge(edge) {
      const ends = facts.edges[edge];
      const parts = [element("h4", `${facts.variables[ends[0]]} – ${facts.variables[ends[1]]}`)];
      if (facts.strengths) parts.push(element("p", `Strength ${facts.strengths[edge].toFixed(4)} nats`));
      if (facts.tables) parts.push(...jointTable(cliquesWith(...ends)[0], ends));
      return parts;
    },
    clique(clique) {
      const parts = [element("h4", `Clique of ${facts.cliques[clique].length}: ${names(facts.cliques[clique])}`)];
      if (facts.tables) parts.push(...jointTable(clique, facts.cliques[clique]));
      return parts;
    },
  };

  /* ---- Selection: one variable, edge or clique at a time ---- */

  let selected = null;
  const kindOf = (node) => ["variable", "edge", "clique"].find((kind) => kind in node.dataset);
  const membersOf = (kind, number) =>
    kind === "variable" ? [number, ...neighbours(number)] : kind === "edge" ? facts.edges[number] : facts.cliques[number];

  function isRelated(node, kind, number) {
    const members = membersOf(kind, number);
    const within = kindOf(node);
    if (within === "variable") return members.includes(Number(node.dataset.variable));
    if (within === "edge") {
      const ends = facts.edges[Number(node.dataset.edge)];
      return kind === "variable" ? ends.includes(number) : ends.every((end) => members.includes(end));
    }
    const clique = Number(node.dataset.clique);
    return kind === "clique" ? clique === number : inClique(clique, ...(kind === "variable" ? [number] : members));
  }

  function select(kind, number) {
    const again = selected && selected.kind === kind && selected.number === number;
    selected = kind === null || again ? null : { kind, number };
    all(".drawing").forEach((drawing) => drawing.classList.toggle("selecting", selected !== null));
    all(".drawing .variable, .drawing .edge, .drawing .area, .drawing .clique").forEach((node) => {
      node.classList.toggle("related", selected !== null && isRelated(node, selected.kind, selected.number));
      const chosen = selected !== null && node.dataset[selected.kind] === String(selected.number);
      node.classList.toggle("selected", chosen);
      if (node.hasAttribute("role")) node.setAttribute("aria-pressed", String(chosen));
    });
    all(".card").forEach((card) => {
      card.classList.toggle("selected", selected !== null && card.dataset[selected.kind] === String(selected.number));
    });
    const panel = document.getElementById("selection");
    panel.className = "about";
    panel.replaceChildren(...(selected ? about[selected.kind](selected.number) : [element("p", "Nothing is selected.")]));
  }

  /* ---- The note beside the pointer ---- */

  const tooltip = document.getElementById("tooltip");
  tooltip.className = "about";

  function point(node, x, y) {
    const kind = kindOf(node);
    tooltip.replaceChildren(...about[kind](Number(node.dataset[kind])));
    tooltip.hidden = false;
    const left = x + 16 + tooltip.offsetWidth > innerWidth ? x - 16 - tooltip.offsetWidth : x + 16;
    const top = Math.min(y + 16, innerHeight - tooltip.offsetHeight - 8);
    tooltip.style.left = `${Math.max(4, left)}px`;
    tooltip.style.top = `${Math.max(4, top)}px`;
  }

  const hide = () => { tooltip.hidden = true; };

  all(".drawing [data-variable], .drawing [data-edge], .drawing [data-clique]").forEach((node) => {
    const kind = kindOf(node);
    const choose = () => select(kind, Number(node.dataset[kind]));
    node.addEventListener("click", (event) => { event.stopPropagation(); choose(); });
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); }
    });
    node.addEventListener("mousemove", (event) => point(node, event.clientX, event.clientY));
    node.addEventListener("mouseleave", hide);
    node.addEventListener("blur", hide);
  });
  all(".drawing").forEach((drawing) => drawing.addEventListener("click", () => select(null)));
  all("button.link[data-edge]").forEach((button) => {
    button.addEventListener("click", () => {
      select("edge", Number(button.dataset.edge));
      document.getElementById("network").scrollIntoView();
    });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { hide(); select(null); }
  });

  /* ---- Queries ---- */

  const evidence = new Map();

  function showAnswer(forest) {
    const { logProbability, marginals } = JunctionForest.propagate(forest, evidence);
    all(".state").forEach((button) => {
      const variable = Number(button.dataset.variable);
      const state = Number(button.dataset.state);
      const value = marginals ? marginals[variable][state] : NaN;
      button.dataset.probability = String(value);
      button.setAttribute("aria-pressed", String(evidence.get(variable) === state));
      button.querySelector(".bar").style.width = marginals ? `${100 * value}%` : "0";
      button.querySelector(".percent").textContent = marginals ? percent(value) : "–";
    });
    all(".card, .variable").forEach((node) => {
      node.classList.toggle("known", evidence.has(Number(node.dataset.variable)));
    });
    const known = [...evidence].map(([variable, state]) => `${facts.variables[variable]} = ${facts.states[variable][state]}`);
    const given = document.getElementById("given");
    given.dataset.logProbability = String(logProbability);
    if (!known.length) given.textContent = "No evidence set.";
    else if (!marginals) given.textContent = `${known.join(", ")}: this has probability zero, so nothing follows from it.`;
    else given.textContent = `Known: ${known.join(", ")} · probability ${Math.exp(logProbability).toPrecision(4)}`;
    document.getElementById("clear").disabled = !known.length;
  }

  if (facts.forest && document.getElementById("query")) {
    const forest = JunctionForest.prepare(facts);
    document.getElementById("evidence").hidden = false;
    all(".state").forEach((button) => {
      button.addEventListener("click", () => {
        const variable = Number(button.dataset.variable);
        const state = Number(button.dataset.state);
        if (evidence.get(variable) === state) evidence.delete(variable);
        else evidence.set(variable, state);
        showAnswer(forest);
      });
    });
    document.getElementById("clear").addEventListener("click", () => { evidence.clear(); showAnswer(forest); });
  } else {
    all(".state").forEach((button) => { button.disabled = true; });
  }

  /* ---- Size and light ---- */

  all(".zoom").forEach((button) => {
    const drawing = document.getElementById(button.dataset.drawing);
    button.hidden = drawing.getBoundingClientRect().width >= Number(drawing.getAttribute("width")) - 1;
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(drawing.classList.toggle("full")));
    });
  });
  const theme = document.getElementById("theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
})();
