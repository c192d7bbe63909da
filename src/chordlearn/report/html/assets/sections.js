/* What stands around the explorer: the headline, the edges, the junction tree, the proof, the data. */
import { button, element, name, number, table } from "./dom.js";

const MARKS = { optimal: "✓", feasible: "≈", none: "✗" };

export function themeButton() {
  return button("Dark or light", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }, { id: "theme", class: "quiet-button" });
}

/* The title, what is known in one sentence, and a few figures. */
export function headline(given) {
  return [
    element("h1", {}, name(given.title)),
    given.status && element("p", { class: `status ${given.status}` }, element("span", { "aria-hidden": "true", text: `${MARKS[given.status]} ` }), given.headline),
    element("dl", { class: "figures" }, given.figures.map(([label, text]) =>
      element("div", {}, element("dt", { text: label }), element("dd", { text })))),
  ].filter(Boolean);
}

/* A scrolling frame, which the keyboard reaches. */
const scrolling = (label, ...children) => element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, ...children);

function section(id, title, hint, ...children) {
  return element("section", { id, class: "below" }, element("h2", { text: title }), hint && element("p", { class: "hint", text: hint }), ...children);
}

function edges(given, explorer) {
  const { variables, weights = [], losses, cliques } = given;
  if (!given.edges.length) return section("edges", "Edges", "The network has no edges: each variable is independent of the others.");
  const main = weights[0]?.values;
  const largest = main && Math.max(...main, 1e-12);
  const order = [...given.edges.keys()].sort((i, j) => (main ? main[j] - main[i] : i - j));
  const rows = order.map((i) => {
    const [a, b] = given.edges[i].map((end) => variables[end]);
    const link = button("", () => {
      explorer.select({ edge: [a, b] });
      explorer.root.scrollIntoView();
    }, { class: "link", "data-edge": i });
    link.append(name(a), " – ", name(b));
    const measured = ({ values }, k) => {
      const bar = element("span", { class: "bar" });
      bar.style.width = `${(100 * values[i]) / largest}%`;
      return element("span", { class: "measured" }, k ? null : element("span", { class: "track" }, bar), number(values[i], 4));
    };
    return [link, ...weights.map(measured), ...(losses ? [number(losses[i])] : []),
      String(cliques.filter((clique) => given.edges[i].every((end) => clique.includes(end))).length)];
  });
  const heads = ["edge", ...weights.map(({ name: text }) => text), ...(losses ? ["score lost"] : []), "in cliques"];
  const hint = main && "The strength is the mutual information of the two ends when their common neighbours are known. The score lost is what the network loses without the edge, all else as it is; where that would not be chordal there is a dash.";
  return section("edges", "Edges", hint, scrolling("Edges", table(heads, rows)));
}

const drawn = (text) => document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);

/* The junction tree was drawn by Python; its cliques can be chosen. */
function tree(given, explorer) {
  const choose = (target) => {
    const clique = target.closest("[data-clique]");
    if (!clique) return;
    explorer.select({ clique: given.cliques[Number(clique.dataset.clique)].map((i) => given.variables[i]) });
  };
  const box = scrolling("Junction tree", drawn(given.tree));
  box.addEventListener("click", (event) => choose(event.target));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(event.target); }
  });
  return section("junction-tree", "Junction tree", "Round boxes are the cliques, square ones the separators: what two neighbouring cliques share.", box);
}

function other({ id, title, hint, parts }) {
  return section(id, title, hint, ...parts.map((part) => {
    if (part.svg) return element("figure", {}, element("figcaption", { text: part.caption }), scrolling(part.caption, drawn(part.svg)));
    if (part.heads) return scrolling(part.caption ?? title, table(part.heads, part.rows));
    if (part.rows) return table([], part.rows, { class: "facts" });
    return part.code ? element("pre", {}, element("code", { text: part.code })) : element("p", { text: part.text });
  }));
}

/* The sections below the explorer. */
export function sections(given, explorer) {
  return [
    ...(explorer ? [given.tree && tree(given, explorer), edges(given, explorer)] : []),
    ...(given.sections ?? []).map(other),
  ].filter(Boolean);
}
