/* What can be taken away: files, and the lines that learn the same again. */

import { button, element } from "./dom.js";

const GROUPS = [
  ["To show", { "report.html": "Report", "network.png": "PNG", "network.svg": "SVG", "network.pdf": "PDF" }],
  ["To go on with", { "network.chord.json": "Network file", "result.json": "Result" }],
  ["For other programs", { "network.bif": "BIF", "network.xmlbif": "XMLBIF", "network.uai": "UAI", "network.net": "Hugin NET",
    "network.graphml": "GraphML", "network.dot": "DOT", "network.csv": "Adjacency" }],
];

export function renderTaking(root, result, take) {
  root.replaceChildren(
    element("h2", {}, "Take it away"),
    element("div", { class: "files" }, GROUPS.map(([title, files]) =>
      element("fieldset", {}, element("legend", {}, title), Object.entries(files).map(([file, words]) =>
        button(words, (event) => take(file, event.target), { "data-file": file }))))),
    element("h3", {}, "The same again"),
    result.command ? copied("In a terminal", result.command) : element("p", { class: "hint" }, "It takes more than one line in a terminal; the lines of Python do it."),
    result.python ? copied("In Python", result.python) : "",
  );
}

function copied(title, text) {
  const copy = button("Copy", async () => {
    await navigator.clipboard.writeText(text).then(() => { copy.textContent = "Copied"; }, () => { copy.textContent = "Select it and copy"; });
  });
  return element("figure", { class: "code" }, element("figcaption", {}, title, copy), element("pre", { tabindex: "0" }, element("code", {}, text)));
}
