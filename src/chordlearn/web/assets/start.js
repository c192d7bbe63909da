/* The first view: drop a table, take a bundled one, or go on with what is there. */

import { button, element, name } from "./dom.js";

export function renderStart(root, { about, tables, jobs, take, takeBundled, open, openTable }) {
  const input = element("input", { type: "file", id: "file", class: "hidden-input", accept: ".csv,.tsv,.txt,.dat,.data,.parquet,.gz",
    on: { change: () => input.files.length && take(input.files[0]) } });
  const zone = element("div", { class: "drop" },
    element("h1", {}, "Drop a table here"),
    element("p", {}, "CSV, TSV or Parquet, a column per variable. It stays on this machine."),
    input,
    element("label", { for: "file", class: "choose" }, "Choose a file"),
  );
  root.replaceChildren(
    zone,
    element("h2", {}, "Or begin with one that is here"),
    element("div", { class: "picks" },
      tables.filter((one) => !about.bundled.some((set) => set.name === one.source)).map((one) =>
        card(one.name, "your table", "", () => openTable(one.table))),
      about.bundled.map((set) =>
        card(set.name, set.title, `${set.variables} variables · ${set.rows.toLocaleString("en")} rows`, () => takeBundled(set.name)))),
    jobs.length ? element("h2", {}, "Learned here") : "",
    jobs.length ? jobList(jobs, open) : "",
  );
}

const card = (title, line, figures, act) =>
  element("button", { type: "button", class: "pick", on: { click: act } },
    element("strong", {}, name(title)), element("span", {}, line), element("small", {}, figures));

/* Before anything is dropped, the whole window is where it may fall. */
export function acceptDrops(take) {
  let depth = 0;
  const mark = (change) => {
    depth = Math.max(0, depth + change);
    document.body.classList.toggle("dropping", depth > 0);
  };
  addEventListener("dragenter", (event) => { event.preventDefault(); mark(1); });
  addEventListener("dragleave", () => mark(-1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    mark(0);
    if (event.dataTransfer?.files.length) take(event.dataTransfer.files[0]);
  });
}

const WORDS = { waiting: "waits", running: "learning", stopping: "stopping", failed: "failed", cancelled: "cancelled" };

export function stateInWords(job) {
  if (job.state !== "done") return WORDS[job.state];
  return job.result.status === "optimal" ? "optimal, proved" : job.result.status === "feasible" ? "not proved" : "no network";
}

export function jobList(jobs, open, current = null) {
  return element("ul", { class: "jobs" }, [...jobs].reverse().map((job) =>
    element("li", {},
      button([name(job.name), " ", element("span", { class: `tag ${job.state} ${job.result?.status ?? ""}` }, stateInWords(job)),
        job.result?.score != null ? element("small", {}, job.result.score.toFixed(2).replace("-", "−")) : ""].flat(),
      () => open(job.job), { class: "job", "aria-current": job.job === current ? "true" : null, "data-job": job.job }))));
}
