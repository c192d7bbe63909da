/* The page: where one is, what the server says, and the views that show both. */

import { ask, asked, listen, takeAway } from "./asking.js";
import { renderColumns } from "./columns.js";
import { button, element, name, number } from "./dom.js";
import { Explorer } from "./explorer.js";
import { sections } from "./sections.js";
import { acceptDrops, jobList, renderStart, stateInWords } from "./start.js";
import { renderTaking } from "./taking.js";
import { Watching } from "./watching.js";

const LIVE_MILLISECONDS = 500;
const part = (id) => document.getElementById(id);
const fold = (edge) => [...edge].sort().join("\u0000");

/* Where one is; it stands in the browser's history, so that Undo, Back and a reload all work. */
let place = { view: "start", table: null, job: null, other: null, reading: null, learning: {}, depth: 0 };
let about = { bundled: [], largest_upload: Infinity }, tables = [], jobs = [];
let source = null;
const surveys = new Map();

/* The parts of the view of a job, made once; a new result glides into the same drawing. */
const shown = { job: null, document: null, live: null, timer: null, failure: "" };
let explorer, other, watching;

function go(change, replace = false) {
  place = { ...place, ...change, depth: place.depth + (replace ? 0 : 1) };
  const hash = place.view === "network" ? `#job=${place.job}` : place.view === "table" ? `#table=${place.table}` : "#";
  history[replace ? "replaceState" : "pushState"](place, "", hash);
  render();
}

addEventListener("popstate", (event) => {
  place = event.state ?? fromAddress();
  render();
});

function fromAddress() {
  const [, kind, number] = /^#(job|table)=(\d+)$/.exec(location.hash) ?? [];
  const start = { view: "start", table: null, job: null, other: null, reading: null, learning: {}, depth: 0 };
  if (kind === "job") return { ...start, view: "network", job: Number(number) };
  return kind === "table" ? { ...start, view: "table", table: Number(number) } : start;
}

function notify(sentence) {
  const box = part("notice");
  box.replaceChildren(element("p", {}, sentence), button("Close", () => { box.hidden = true; }));
  box.hidden = false;
}

const guarded = (act) => async (...given) => {
  try {
    part("notice").hidden = true;
    return await act(...given);
  } catch (error) {
    notify(error.message);
    return null;
  }
};

// News of the server

let following;
function follow(job) {
  if (source && following === job) return;
  source?.close();
  following = job;
  source = listen(job, (kind, message) => {
    if (kind === "about") about = message;
    else if (kind === "state") hearState(message);
    else if (kind === "news") hearNews(message);
    else document.body.classList.toggle("lost", kind === "lost");
  });
}

let begun = false;
function hearState(state) {
  ({ tables, jobs } = state);
  if (!begun) {
    begun = true;
    // A table that was named when the server was started is what one wants to see.
    if (place.view === "start" && !jobs.length && tables.length === 1) return openTable(tables[0].table);
  }
  return render();
}

function hearNews(message) {
  watching.hear(message);
  if (message.failure) shown.failure = message.failure;
  if (message.run) shown.failure = "";
  if (message.variables) shown.variables = message.variables;
  if (message.cliques) {
    shown.live = { variables: shown.variables, cliques: message.cliques };
    shown.timer ??= setTimeout(showLive, LIVE_MILLISECONDS);
  }
}

function showLive() {
  shown.timer = null;
  const job = jobOf(place.job);
  if (shown.document || place.view !== "network" || !(shown.live && job)) return;
  explorer.update({ title: job.name, status: "feasible", headline: "", ...shown.live });
  part("drawing").hidden = false;
}

const jobOf = (number) => jobs.find((job) => job.job === number);
const tableOf = (number) => tables.find((table) => table.table === number);

// What one does

const take = guarded(async (file) => {
  if (file.size > about.largest_upload)
    throw new Error(`The page takes tables of up to ${about.largest_upload / 1e6} MB; give a larger one to the command instead: chordlearn serve FILE.`);
  document.body.classList.add("busy");
  try {
    const table = await asked(`tables?name=${encodeURIComponent(file.name)}`, file);
    tables = [...tables.filter((one) => one.table !== table.table), table];
    await openTable(table.table);
  } finally {
    document.body.classList.remove("busy");
  }
});

const takeBundled = guarded(async (bundled) => {
  const table = await asked(`tables?bundled=${encodeURIComponent(bundled)}`, {});
  tables = [...tables.filter((one) => one.table !== table.table), table];
  await openTable(table.table);
});

const openTable = guarded(async (table) => {
  const base = await survey(table, {});
  go({ view: "table", table, job: null, other: null, reading: base.options ?? {}, learning: {} });
});

const openJob = (number) => {
  const job = jobOf(number);
  go({ view: "network", job: number, other: null, table: job.table, reading: job.reading, learning: job.learning });
};

async function survey(table, reading) {
  const key = JSON.stringify([table, reading]);
  if (!surveys.has(key)) surveys.set(key, (await asked(`tables/${table}/survey`, reading)).survey);
  return surveys.get(key);
}

const learn = guarded(async () => {
  const job = await asked("jobs", { table: place.table, reading: place.reading, learning: place.learning });
  jobs = [...jobs.filter((one) => one.job !== job.job), job];
  go({ view: "network", job: job.job, other: null });
});

const tell = (job, what) => guarded(() => asked(`jobs/${job.job}/${what}`, {}));

function constrain(kind, edge) {
  const without = (list) => (list ?? []).filter((one) => fold(one) !== fold(edge));
  const learning = { ...place.learning, require: without(place.learning.require), forbid: without(place.learning.forbid) };
  if (kind) learning[kind] = [...learning[kind], edge];
  go({ learning: tidied(learning) });
}

const tidied = (learning) => Object.fromEntries(Object.entries(learning).filter(([, value]) => value != null && value !== "" && !(Array.isArray(value) && !value.length)));

// Views

function render() {
  for (const view of ["start", "table", "network"]) part(view).hidden = place.view !== view;
  part("undo").disabled = place.depth === 0;
  renderSteps();
  follow(place.view === "network" ? place.job : null);
  if (place.view === "start") renderStart(part("start"), { about, tables, jobs, take, takeBundled, open: openJob, openTable });
  if (place.view === "table") renderTable();
  if (place.view === "network") renderJob();
  document.title = place.view === "start" ? "chordlearn" : `${(place.view === "table" ? tableOf(place.table) : jobOf(place.job))?.name ?? ""} – chordlearn`;
}

function renderSteps() {
  const step = (view, text, can) => button(text, () => go({ view }), { disabled: !can, "aria-current": place.view === view ? "step" : null });
  part("steps").replaceChildren(
    step("start", "Start", true), step("table", "Table", place.table != null && tableOf(place.table)), step("network", "Network", place.job != null && jobOf(place.job)));
}

const renderTable = guarded(async () => {
  const { table, reading } = place;
  const known = tableOf(table);
  if (!known) return part("table").replaceChildren(element("p", { class: "sheet" }, "This table is no longer here; begin anew."));
  const root = part("table");
  if (root.dataset.shown !== String(table)) root.replaceChildren(element("p", { class: "sheet wait" }, "Reading …"));
  const base = await survey(table, {});
  if (place.view !== "table" || place.table !== table) return null;
  if (reading == null) return go({ reading: base.options ?? {} }, true);
  const current = reading;
  const found = await survey(table, current).catch((error) => ({ ...base, columns: [], problems: [error.message], notes: [], options: null }));
  if (place.view !== "table" || place.table !== table || place.reading !== reading) return null;
  const focused = document.activeElement?.dataset?.column ?? document.activeElement?.id;
  root.dataset.shown = String(table);
  const columns = element("div", { class: "sheet columns-sheet" });
  const ready = !found.problems.length;
  root.replaceChildren(
    element("div", { class: "head" }, element("div", {}, element("h1", {}, name(known.name)),
      element("p", { class: "hint" }, `${base.rows.toLocaleString("en")} rows · ${base.columns.length} columns`)),
      element("button", { type: "submit", form: "learning", class: "primary", disabled: !ready }, "Learn the network")),
    ...found.problems.map((problem) => element("p", { class: "problem" }, `Settle before learning: ${problem}.`)),
    ...found.notes.map((note) => element("p", { class: "hint" }, note)),
    columns,
    element("form", { id: "learning", class: "sheet", on: { submit: (event) => { event.preventDefault(); learn(); } } }, learningChoices(ready)),
    jobs.some((job) => job.table === table) ? element("h2", {}, "Learned from this table") : "",
    jobList(jobs.filter((job) => job.table === table), openJob),
  );
  renderColumns(columns, base, found, current, (changed) => go({ reading: changed }));
  if (focused) (root.querySelector(`[data-column="${CSS.escape(focused)}"]`) ?? part(focused))?.focus();
  return null;
});

const SCORES = { bdeu: "BDeu", bic: "BIC", aic: "AIC", qnml: "qNML", jeffreys: "Jeffreys", k2: "K2" };

function learningChoices(ready) {
  const set = (key, parse = (text) => text) => (event) => go({ learning: tidied({ ...place.learning, [key]: parse(event.target.value) }) });
  const given = place.learning;
  const figure = (key, label, hint) => element("label", {}, label,
    element("input", { type: "number", id: `choice-${key}`, min: key === "max_clique" ? 1 : 0, step: key === "max_clique" ? 1 : "any", value: given[key] ?? "", placeholder: hint,
      on: { change: set(key, (text) => (text === "" ? null : Number(text))) } }));
  return [
    element("h2", {}, "How to learn"),
    element("div", { class: "choices" },
      element("label", {}, "score", element("select", { id: "choice-score", on: { change: (event) => go({ learning: tidied({ ...given, ess: null, score: event.target.value }) }) } },
        Object.entries(SCORES).map(([value, text]) => element("option", { value, selected: value === (given.score ?? "bdeu") }, text)))),
      (given.score ?? "bdeu") === "bdeu" ? figure("ess", "equivalent sample size", "1") : "",
      figure("max_clique", "largest clique", "any"),
      figure("time_limit", "seconds at most", "no limit")),
    constraintList(),
    element("button", { type: "submit", class: "primary", id: "learn", disabled: !ready }, "Learn the network"),
  ].flat();
}

function constraintList() {
  const chip = (kind, edge) => element("li", { class: `tag ${kind}` }, kind === "require" ? "required: " : "forbidden: ", name(edge[0]), " – ", name(edge[1]),
    button("✕", () => constrain(null, edge), { "aria-label": `take back: ${edge.join(" – ")}` }));
  const chips = ["require", "forbid"].flatMap((kind) => (place.learning[kind] ?? []).map((edge) => chip(kind, edge)));
  return chips.length ? element("ul", { class: "constraints" }, chips) : "";
}

function renderJob() {
  const job = jobOf(place.job);
  // Somebody came by the address alone.
  if (job && place.table == null) go({ table: job.table, reading: job.reading, learning: job.learning }, true);
  if (!job) return part("status").replaceChildren(element("p", {}, jobs.length || begun ? "This job is no longer here; learn again." : "…"));
  if (shown.job !== job.job) begin(job);
  renderStatus(job);
  const over = job.result && ["done", "failed", "cancelled"].includes(job.state);
  part("network").classList.toggle("over", Boolean(over));
  part("about").hidden = part("taking").hidden = !(over && job.result.status !== "none");
  if (over && shown.loaded !== stamp(job)) load(job);
  if (!over && shown.loaded) { shown.loaded = null; shown.document = null; }
  explorer.constraints = { require: place.learning.require ?? [], forbid: place.learning.forbid ?? [] };
  renderComparison(job);
  return null;
}

const stamp = (job) => `${job.job} ${job.result?.score} ${job.result?.bound} ${job.result?.stopped_by}`;

function begin(job) {
  clearTimeout(shown.timer);
  Object.assign(shown, { job: job.job, document: null, live: null, loaded: null, failure: "", timer: null, variables: null });
  watching.clear(job.learning.max_clique);
}

const load = guarded(async (job) => {
  shown.loaded = stamp(job);
  if (job.result.status === "none") return;
  const document = await asked(`jobs/${job.job}/document`);
  if (place.job !== job.job) return;
  shown.document = document;
  part("drawing").hidden = false;
  explorer.update(document);
  part("about").replaceChildren(...sections(document, explorer).filter((one) => one.id !== "reproduce"));
  renderTaking(part("taking"), job.result, guarded(async (file, pressed) => {
    pressed.disabled = true;
    try {
      const stem = job.name.split(".")[0], ending = file.slice(file.indexOf("."));
      await takeAway(`jobs/${job.job}/files/${file}`, `${stem}${ending}`);
    } finally {
      pressed.disabled = false;
    }
  }));
  render();
});

function renderStatus(job) {
  const running = ["waiting", "running", "stopping"].includes(job.state);
  const status = job.result?.status ?? (running ? "running" : "none");
  const known = running ? null : shown.document;
  const words = job.result && !running ? known?.headline ?? capital(job.result.words) : shown.failure && !running ? shown.failure : { waiting: "Waits for the jobs before it", running: "Learning", stopping: "Stopping with the best network so far", cancelled: "Cancelled before it began", failed: "Failed" }[job.state];
  const changed = JSON.stringify([tidied(place.learning), place.reading]) !== JSON.stringify([tidied(job.learning), job.reading]);
  part("status").replaceChildren(
    element("div", { class: "head" },
      element("div", {}, element("h1", {}, name(job.name)),
        element("p", { class: `status ${status}`, role: "status" }, running ? element("span", { class: "spinner", "aria-hidden": "true" }) : "", words.endsWith(".") ? words : `${words}.`),
        known ? element("dl", { class: "figures" }, known.figures.map(([label, text]) => element("div", {}, element("dt", {}, label), element("dd", {}, text)))) : ""),
      element("div", { class: "acts" },
        running ? button(job.state === "stopping" ? "Stop at once" : job.state === "waiting" ? "Cancel" : "Stop, keep the best", tell(job, "stop"), { id: "stop" }) : "",
        !running && job.can_go_on ? button("Go on", tell(job, "resume"), { id: "resume" }) : "",
        !running && job.result && job.result.status !== "none" ? button("How sure is each edge?", sure(job), { id: "sure" }) : "",
        comparable(job).length && !running && job.result ? comparisonChoice(job) : "",
        !running ? button("Learn again", learn, { id: "again", class: changed ? "primary" : null }) : "")),
    !running && job.result && shown.failure ? element("p", { class: "problem" }, shown.failure) : "",
    constraintList(),
    others(job),
  );
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function others(job) {
  const more = jobs.filter((one) => one.job !== job.job && !["done", "failed", "cancelled"].includes(one.state));
  return more.length ? element("div", { class: "queue" }, element("h2", {}, "Also under way"), jobList(more, openJob)) : "";
}

const sure = (job) => guarded(async (event) => {
  const pressed = event.target;
  pressed.disabled = true;
  pressed.textContent = job.result.variables > 18 ? "Visiting networks for a minute …" : "Summing over all networks …";
  try {
    const found = await asked(`jobs/${job.job}/posterior`, {});
    if (place.job !== job.job || !shown.document) return;
    const probable = new Map(found.posterior.map(([a, b, p]) => [fold([a, b]), p]));
    const { variables, edges } = shown.document;
    const values = edges.map(([i, j]) => probable.get(fold([variables[i], variables[j]])) ?? null);
    const weights = [{ name: "posterior probability", values }, ...(shown.document.weights ?? []).filter((one) => one.name !== "posterior probability")];
    shown.document = { ...shown.document, weights };
    explorer.update(shown.document);
    notify(`Lines are now as wide as their edges are probable, over all chordal networks. ${found.note ?? ""}`.trim());
  } finally {
    pressed.disabled = false;
    pressed.textContent = "How sure is each edge?";
  }
});

// Comparing

const comparable = (job) => jobs.filter((one) => one.job !== job.job && one.state === "done" && one.result?.status !== "none");

function comparisonChoice(job) {
  const words = (one) => `${one.name}, job ${one.job}: ${stateInWords(one)}`;
  return element("select", { id: "compare", "aria-label": "compare with another result", on: { change: (event) => go({ other: event.target.value ? Number(event.target.value) : null }) } },
    element("option", { value: "" }, "Compare with …"),
    comparable(job).map((one) => element("option", { value: one.job, selected: one.job === place.other }, words(one))));
}

let compared = "";
const renderComparison = guarded(async (job) => {
  const wanted = place.other && shown.document ? `${shown.loaded} ${place.other}` : "";
  part("beside").hidden = !place.other;
  part("network").classList.toggle("comparing", Boolean(place.other));
  if (wanted === compared) return;
  compared = wanted;
  if (!wanted) {
    part("difference").replaceChildren();
    if (shown.document) explorer.update(shown.document, { reference: null });
    return;
  }
  const against = jobOf(place.other), document = await asked(`jobs/${place.other}/document`);
  if (compared !== wanted) return;
  other ??= new Explorer(part("other"), { actions: [] });
  const here = named(shown.document), there = named(document);
  explorer.update(shown.document, { reference: there });
  other.update(document, { reference: here });
  const known = new Set(there.map(fold)), both = here.filter((edge) => known.has(fold(edge))).length;
  part("difference").replaceChildren(
    element("p", {}, `${both} edges in both, ${here.length - both} only here (job ${job.job}), ${there.length - both} only there (job ${against.job}). `,
      job.result.score != null && against.result.score != null ? `The scores differ by ${number(job.result.score - against.result.score, 4)}.` : ""));
});

const named = (document) => document.edges.map(([i, j]) => [document.variables[i], document.variables[j]]);

// The parts of the view of a job

part("network").replaceChildren(
  element("section", { id: "status" }),
  element("section", { id: "difference", "aria-live": "polite" }),
  element("div", { class: "work" },
    element("section", { id: "watching", class: "sheet" }),
    element("section", { id: "drawing", hidden: true, "aria-label": "the network" }),
    element("section", { id: "beside", hidden: true, "aria-label": "the other network" }, element("div", { id: "other" }))),
  element("section", { id: "taking", class: "sheet", hidden: true }),
  element("div", { id: "about", hidden: true }),
);
watching = new Watching(part("watching"));
explorer = new Explorer(part("drawing"), { actions: ["why", "require", "forbid"] });
window.explorer = explorer;
explorer.addEventListener("require", ({ detail }) => constrain("require", detail.edge));
explorer.addEventListener("forbid", ({ detail }) => constrain("forbid", detail.edge));
explorer.addEventListener("why", async ({ detail }) => {
  detail.show("Asking the score …");
  try {
    detail.show(whyInWords(await asked(`jobs/${place.job}/why`, { pair: detail.edge }), detail.present));
  } catch (error) {
    detail.show(error.message);
  }
});

function whyInWords({ change, by }, present) {
  const much = number(Math.abs(change)), loses = change < 0;
  const how = { alone: "all else as it is", relearning: "and the rest learned anew, which is proved", search: "and the rest learned anew, as far as it was searched" }[by];
  return `${present ? "Without" : "With"} this edge the score ${loses ? "loses" : "gains"} ${much} (${how})${loses ? "" : "; learn again to use it"}.`;
}

part("home").addEventListener("click", () => go({ view: "start" }));
part("undo").addEventListener("click", () => history.back());
part("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  localStorage.setItem("theme", document.documentElement.dataset.theme = dark ? "light" : "dark");
});
document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "";
acceptDrops(take);
place = history.state ?? fromAddress();
render();
