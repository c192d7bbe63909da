/* How to learn: the score, limits, and edges that must or must not be there. */

import { button, element, name } from "./dom.js";

const SCORES = { bdeu: "BDeu", bic: "BIC", aic: "AIC", qnml: "qNML", jeffreys: "Jeffreys", k2: "K2" };
const KINDS = { require: "required", forbid: "forbidden" };

/* Without what is not said. */
export const tidied = (learning) =>
  Object.fromEntries(Object.entries(learning).filter(([, value]) => value != null && value !== "" && value.length !== 0));

export const fold = (edge) => [...edge].sort().join("\u0000");

/* With an edge of this kind, and of no other; without one if there is no kind. */
export function constrained(learning, kind, edge) {
  const without = (list) => (list ?? []).filter((one) => fold(one) !== fold(edge));
  const lists = { require: without(learning.require), forbid: without(learning.forbid) };
  return tidied({ ...learning, ...lists, ...(kind && { [kind]: [...lists[kind], edge] }) });
}

export function learningForm(learning, change, ready, submit) {
  const { score = "bdeu" } = learning;
  const set = (values) => change(tidied({ ...learning, ...values }));
  const figure = (key, label, hint, least, step) => element("label", {}, label,
    element("input", { type: "number", id: `choice-${key}`, min: least, step, value: learning[key] ?? "", placeholder: hint,
      on: { change: ({ target }) => set({ [key]: target.value === "" ? null : Number(target.value) }) } }));
  return element("form", { id: "learning", class: "sheet", on: { submit: (event) => { event.preventDefault(); submit(); } } },
    element("h2", {}, "How to learn"),
    element("div", { class: "choices" },
      element("label", {}, "score", element("select", { id: "choice-score", on: { change: ({ target }) => set({ ess: null, score: target.value }) } },
        Object.entries(SCORES).map(([value, text]) => element("option", { value, selected: value === score }, text)))),
      score === "bdeu" ? figure("ess", "equivalent sample size", "1", 0, "any") : "",
      figure("max_clique", "largest clique", "any", 1, 1),
      figure("time_limit", "seconds at most", "no limit", 0, "any")),
    constraintList(learning, change),
    element("button", { type: "submit", class: "primary", id: "learn", disabled: !ready }, "Learn the network"));
}

export function constraintList(learning, change) {
  const chip = (kind, edge) => element("li", { class: `tag ${kind}` }, `${KINDS[kind]}: `, name(edge[0]), " – ", name(edge[1]),
    button("✕", () => change(constrained(learning, null, edge)), { "aria-label": `take back: ${edge.join(" – ")}` }));
  const chips = Object.keys(KINDS).flatMap((kind) => (learning[kind] ?? []).map((edge) => chip(kind, edge)));
  return chips.length ? element("ul", { class: "constraints" }, chips) : "";
}
