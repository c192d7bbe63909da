/* The report: the explorer of one network, which needs nothing but this page. */
import { Explorer } from "./explorer.js";
import { headline, sections, themeButton } from "./sections.js";

const given = JSON.parse(document.getElementById("document").textContent);
const root = document.getElementById("explorer");
document.querySelector("header").replaceChildren(...headline(given), themeButton());
if (given.status === "none") root.remove();
else {
  window.explorer = new Explorer(root);
  window.explorer.update(given);
}
if (!document.body.matches(".embedded")) document.querySelector("main").append(...sections(given, window.explorer));
