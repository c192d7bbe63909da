/* One network against another: two results, or one with an edge more or less. */

import { fold } from "./choosing.js";
import { element, number } from "./dom.js";
import { stateInWords } from "./start.js";

export const comparable = (jobs, job) => jobs.filter((one) => one.job !== job.job && one.state === "done" && one.result?.status !== "none");

export const named = (document) => document.edges.map(([i, j]) => [document.variables[i], document.variables[j]]);

export function comparisonChoice(others, chosen, choose) {
  const words = (one) => `${one.name}, job ${one.job}: ${stateInWords(one)}`;
  return element("select", { id: "compare", "aria-label": "compare with another result", on: { change: ({ target }) => choose(target.value ? Number(target.value) : null) } },
    element("option", { value: "" }, "Compare with …"),
    others.map((one) => element("option", { value: one.job, selected: one.job === chosen }, words(one))));
}

export function differenceInWords(here, there, job, against) {
  const known = new Set(there.map(fold)), both = here.filter((edge) => known.has(fold(edge))).length;
  const scores = [job, against].map((one) => one.result.score);
  const change = scores.includes(null) ? "" : ` The scores differ by ${number(scores[0] - scores[1], 4)}.`;
  return `${both} edges in both, ${here.length - both} only here (job ${job.job}), ${there.length - both} only there (job ${against.job}).${change}`;
}

const HOW = { alone: "all else as it is", relearning: "and the rest learned anew, which is proved", search: "and the rest learned anew, as far as it was searched" };

export function whyInWords({ change, by }, present) {
  const loses = change < 0;
  return `${present ? "Without" : "With"} this edge the score ${loses ? "loses" : "gains"} ${number(Math.abs(change))} (${HOW[by]})${loses ? "" : "; learn again to use it"}.`;
}
