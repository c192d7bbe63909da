/* Notes in window.seen what the page shows of a job, each time that something changes. */
window.seen = [];
const text = (selector, attribute) => document.querySelector(selector)?.getAttribute(attribute) ?? "";
new MutationObserver(() => window.seen.push({
  status: text("#status .status", "class"),
  curve: text(".curve", "aria-label"),
  proved: document.querySelectorAll(".ladder .proved").length,
  edges: document.querySelectorAll("#drawing .edge").length,
})).observe(document.querySelector("#network"), { subtree: true, childList: true, attributes: true });
