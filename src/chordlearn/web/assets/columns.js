/* What was read, column by column, and what the person wants done with each before learning. */

import { button, element, name } from "./dom.js";

const AS_IS = "as it is", DECLARED = "declared";
const CLASSES = [2, 3, 4, 5, 7];
/* Columns that are about rows; one of each at most. */
const ROW_COLUMNS = ["counts", "weights"];
const ROW_WORDS = { counts: "counts: how many observations each row stands for", weights: "weights: how much each row counts" };

/* From the options of reading to what is done with each column, and back. */
export function treatments(columns, reading) {
  const cuts = [reading.discretize ?? []].flat();
  const named = new Map(cuts.filter((text) => text.includes("=")).map((text) => [text.slice(0, text.lastIndexOf("=")), text.slice(text.lastIndexOf("=") + 1)]));
  const general = cuts.find((text) => !text.includes("="));
  const most = Number(general?.split(":")[1] ?? Infinity);
  return new Map(columns.map((column) => {
    const isCut = general && column.type === "number" && column.distinct > most;
    if (reading.drop?.includes(column.name)) return [column.name, "drop"];
    for (const kind of ROW_COLUMNS) if (reading[kind] === column.name) return [column.name, kind];
    return [column.name, named.get(column.name) ?? (isCut ? general : AS_IS)];
  }));
}

export function readingOf(columns, chosen, missing, declared) {
  const withTreatment = (wanted) => columns.filter((column) => chosen.get(column.name) === wanted).map((column) => column.name);
  const reading = {};
  const [counts] = withTreatment("counts"), [weights] = withTreatment("weights");
  const states = Object.entries(declared).filter(([column]) => chosen.get(column) === AS_IS);
  const drop = withTreatment("drop");
  const cut = columns.filter((column) => /^(quantile|width):|^keep$/.test(chosen.get(column.name)));
  if (drop.length) reading.drop = drop;
  if (counts != null) reading.counts = counts;
  else if (columns.some((column) => column.verdict === "counts")) reading.counts = "none";
  if (weights != null) reading.weights = weights;
  if (states.length) reading.states = Object.fromEntries(states);
  if (missing !== "error") reading.missing = missing;
  if (cut.length) reading.discretize = cut.map((column) => `${column.name}=${chosen.get(column.name)}`);
  return reading;
}

/* Tables of columns: `base` as the file has them, `found` as they are read now. */
export function renderColumns(root, base, found, reading, change) {
  const chosen = treatments(base.columns, reading);
  const missing = reading.missing ?? "error", declared = { ...reading.states };
  const now = new Map(found.columns.map((column) => [column.name, column]));
  const choose = (column) => (event) => {
    const { value } = event.target;
    if (value === DECLARED) {
      event.target.value = declared[column.name] ? DECLARED : chosen.get(column.name);
      declare(root, column, now.get(column.name) ?? column, (states) => {
        chosen.set(column.name, AS_IS);
        change(readingOf(base.columns, chosen, missing, tidied({ ...declared, [column.name]: states })));
      });
      return;
    }
    delete declared[column.name];
    if (ROW_COLUMNS.includes(value)) for (const [known, treatment] of chosen) if (treatment === value) chosen.set(known, AS_IS);
    chosen.set(column.name, value);
    change(readingOf(base.columns, chosen, missing, declared));
  };
  const rows = base.columns.map((column) => {
    const treatment = chosen.get(column.name);
    const isForRows = ROW_COLUMNS.includes(treatment);
    const shown = treatment === "drop" || isForRows ? column : now.get(column.name) ?? column;
    return element("tr", { class: treatment === "drop" ? "left-out" : isForRows ? "counting" : shown.verdict === "fine" ? "" : "noted" },
      element("th", { scope: "row" }, name(column.name)),
      element("td", { "data-label": "type" }, shown.type),
      element("td", { "data-label": "states" }, states(shown, base.rows)),
      element("td", { "data-label": "missing", class: column.missing ? "number" : "number none" }, column.missing ? `${column.missing.toLocaleString("en")}` : "–"),
      element("td", { "data-label": "verdict", class: "verdict" }, verdict(treatment, column, shown)),
      element("td", { "data-label": "what to do" }, select(column, treatment, declared[column.name], choose(column))),
    );
  });
  const heads = ["column", "type", "states", "missing", "verdict", "what to do"];
  const gaps = base.columns.filter((column) => column.missing && chosen.get(column.name) !== "drop");
  root.replaceChildren(
    gaps.length ? missingChoice(gaps, missing, (value) => change(readingOf(base.columns, chosen, value, declared))) : "",
    element("table", { class: "columns" },
      element("thead", {}, element("tr", {}, heads.map((text) => element("th", { scope: "col", class: text === "missing" ? "number" : null }, text)))),
      element("tbody", {}, rows)),
  );
}

function verdict(treatment, column, shown) {
  if (treatment === "drop") return /: leave it out/.test(column.advice) ? column.advice.replace(": leave it out", ": left out") : "left out";
  if (ROW_WORDS[treatment]) return ROW_WORDS[treatment];
  if (/^cut into/.test(shown.advice)) return `${column.distinct.toLocaleString("en")} numbers: ${shown.advice}`;
  return shown.advice;
}

function select(column, treatment, states, act) {
  const current = states ? DECLARED : treatment;
  const option = (value, text) => element("option", { value, selected: value === current }, text);
  const numeric = column.type === "number";
  const known = numeric ? CLASSES.flatMap((k) => [`quantile:${k}`, `width:${k}`]) : [];
  const odd = /^(quantile|width):/.test(treatment) && !known.includes(treatment) ? [option(treatment, treatment)] : [];
  return element("select", { "data-column": column.name, "aria-label": `what to do with ${column.name}`, on: { change: act } },
    option(treatment === "keep" || column.verdict === "numbers to cut" ? "keep" : AS_IS, "use as it is"),
    option("drop", "leave out"),
    column.distinct <= column.frequent.length ? option(DECLARED, states ? "with the states declared" : "declare its states …") : "",
    numeric ? element("optgroup", { label: "cut, equally many rows in each" }, CLASSES.map((k) => option(`quantile:${k}`, `${k} equally full classes`))) : "",
    numeric ? element("optgroup", { label: "cut, equally wide" }, CLASSES.map((k) => option(`width:${k}`, `${k} equally wide classes`))) : "",
    odd,
    numeric ? element("optgroup", { label: "about the rows" }, option("counts", "holds counts of rows"), option("weights", "holds weights of rows")) : "",
  );
}

/* A bar of the commonest states; what is left of it is the others. */
function states(column, rows) {
  if (!column.frequent.length) return "–";
  const parts = column.frequent.map(({ state, count }, i) => {
    const part = element("span", { class: `part part-${i}`, title: `${state}: ${count.toLocaleString("en")}` });
    part.style.flexGrow = count;
    return part;
  });
  const seen = column.frequent.reduce((total, { count }) => total + count, 0);
  const rest = element("span", { class: "part rest" });
  rest.style.flexGrow = Math.max(0, rows - seen);
  const listed = column.frequent.flatMap(({ state, count }, i) => [i ? " · " : "", name(state), ` ${count.toLocaleString("en")}`]);
  const more = !/^cut into/.test(column.advice) && column.distinct > column.frequent.length ? ` · … ${(column.distinct - column.frequent.length).toLocaleString("en")} more` : "";
  return element("div", { class: "column-states" }, element("span", { class: "stack", "aria-hidden": "true" }, parts, rest),
    element("small", {}, listed, more));
}

const tidied = (declared) => Object.fromEntries(Object.entries(declared).filter(([, states]) => states.length));

/* A dialog for the states of a column, whether or not they occur. */
function declare(root, column, shown, settle) {
  const field = element("textarea", { id: "declared", rows: 8 });
  field.value = shown.frequent.map(({ state }) => state).filter((state) => state !== "?" || !column.missing).join("\n");
  const close = (states) => {
    dialog.close();
    dialog.remove();
    if (states) settle(states);
  };
  const lines = () => field.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const dialog = element("dialog", { "aria-labelledby": "declared-title" },
    element("h2", { id: "declared-title" }, "States of ", name(column.name)),
    element("label", { for: "declared", class: "hint" }, "One on each line. Add those that can occur and do not; they count in the score and in the tables."),
    field,
    element("div", { class: "acts" }, button("Declare them", () => close(lines()), { class: "primary" }), button("As they occur", () => close([])), button("Cancel", () => close(null))));
  root.append(dialog);
  dialog.showModal();
}

function missingChoice(gaps, missing, act) {
  const option = (value, text) => element("option", { value, selected: value === missing }, text);
  return element("p", { class: "missing" },
    element("label", { for: "missing" }, `Missing values (${gaps.length === 1 ? "one column" : `${gaps.length} columns`}) `),
    element("select", { id: "missing", on: { change: (event) => act(event.target.value) } },
      option("error", "are not expected: refuse them"), option("category", "are a state of their own: ?"), option("drop", "leave out their rows"),
      option("em", "are gaps: learn from what there is (EM)"), option("impute:20", "are gaps: complete them 20 times")));
}
