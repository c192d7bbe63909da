/* Elements, and numbers as they are written everywhere. Texts from data only ever become text nodes. */

function build(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") Object.entries(value).forEach(([event, act]) => made.addEventListener(event, act));
    else if (name === "text") made.textContent = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child != null && child !== ""));
  return made;
}

export const element = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/* A name among other words: its direction of writing moves nothing else. */
export const name = (text, attributes = {}) => element("bdi", { class: "name", ...attributes, text });
export const button = (text, click, attributes = {}) => element("button", { type: "button", on: { click }, ...attributes }, text);

export const percent = (share) => (Number.isFinite(share) ? `${(100 * share).toFixed(1)} %` : "–");
export const number = (value, digits = 2) => (value == null ? "–" : value.toFixed(digits).replace("-", "−"));

/* Rows of cells; a cell is a text, a number or an element. */
export function table(heads, rows, attributes = {}) {
  const isNumber = (content) => /^[−–]?[\d.,]*( %)?$/.test(content?.textContent ?? content ?? "");
  const numeric = heads.map((_, column) => rows.length > 0 && rows.every((row) => isNumber(row[column])));
  const cell = (tag, content, column, scope) => element(tag, { scope, class: numeric[column] ? "number" : null }, content);
  const head = heads.length && element("thead", {}, element("tr", {}, heads.map((text, column) => cell("th", text, column, "col"))));
  const body = rows.map((row) => element("tr", {}, row.map((content, column) =>
    (heads.length || column ? cell("td", content, column) : cell("th", content, column, "row")))));
  return element("table", attributes, head || null, element("tbody", {}, body));
}
