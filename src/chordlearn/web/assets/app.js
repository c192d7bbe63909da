/* The page: where one is, what the server says, and the views that show both. */

import { asked, listen, takeAway } from "./asking.js";
import { constrained, constraintList, fold, learningForm, tidied } from "./choosing.js";
import { renderColumns } from "./columns.js";
import { comparable, comparisonChoice, differenceInWords, named, whyInWords } from "./comparing.js";
import { button, element, name } from "./dom.js";
import { Explorer } from "./explorer.js";
import { sections } from "./sections.js";
import { acceptDrops, jobList, renderStart } from "./start.js";
import { renderTaking } from "./taking.js";
import { Watching } from "./watching.js";

const LIVE_MILLISECONDS = 500;
const part = (id) => document.getElementById(id);

/* Where one is; it stands in the browser's history, so that Undo, Back and a reload all work. */
const START = { view: "start", table: null, job: null, other: null, reading: null, learning: {}, depth: 0 };
let place = START;
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
  part("notice").hidden ||= !replace;
  render();
}

addEventListener("popstate", (event) => {
  place = event.state ?? fromAddress();
  render();
});

function fromAddress() {
  const [, kind, number] = /^#(job|table)=(\d+)$/.exec(location.hash) ?? [];
  if (kind === "job") return { ...START, view: "network", job: Number(number) };
  return kind === "table" ? { ...START, view: "table", table: Number(number) } : START;
}

function notify(sentence) {
  const box = part("notice");
  box.replaceChildren(element("p", {}, sentence), button("Close", () => { box.hidden = true; }));
  box.hidden = false;
}

const guarded = (act) => async (...given) => {
  try {
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
  if (message.failure || message.notes?.length) shown.failure = message.failure ?? message.notes.join(" ");
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
  explorer.update({ title: job.name, status: "feasible", headline: "", note: "Evidence can be set when the network is learned.", ...shown.live });
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

const change = (learning) => go({ learning });

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
    learningForm(place.learning, change, ready, learn),
    jobs.some((job) => job.table === table) ? element("h2", {}, "Learned from this table") : "",
    jobList(jobs.filter((job) => job.table === table), openJob),
  );
  renderColumns(columns, base, found, current, (changed) => go({ reading: changed }));
  if (focused) (root.querySelector(`[data-column="${CSS.escape(focused)}"]`) ?? part(focused))?.focus();
  return null;
});

function renderJob() {
  const job = jobOf(place.job);
  // Somebody came by the address alone.
  if (job && place.table == null) go({ table: job.table, reading: job.reading, learning: job.learning }, true);
  if (!job) return part("status").replaceChildren(element("p", {}, jobs.length || begun ? "This job is no longer here; learn again." : "…"));
  if (shown.job !== job.job) begin(job);
  renderStatus(job);
  const over = job.result && !(job.state in UNDER_WAY);
  part("network").classList.toggle("over", Boolean(over));
  part("about").hidden = part("taking").hidden = !(over && job.result.status !== "none");
  if (over && shown.loaded !== stamp(job)) load(job);
  if (!over && shown.loaded) forget();
  explorer.constraints = { require: place.learning.require ?? [], forbid: place.learning.forbid ?? [] };
  renderComparison(job);
  return null;
}

const stamp = (job) => `${job.job} ${job.result?.score} ${job.result?.bound} ${job.result?.stopped_by}`;

function forget() {
  shown.loaded = shown.document = null;
  delete part("network").dataset.shown;
}

function begin(job) {
  clearTimeout(shown.timer);
  forget();
  Object.assign(shown, { job: job.job, live: null, failure: "", timer: null, variables: null });
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
  part("network").dataset.shown = job.job;
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

const UNDER_WAY = { waiting: "Waits for the jobs before it", running: "Learning", stopping: "Stopping with the best network so far" };

function renderStatus(job) {
  const running = job.state in UNDER_WAY;
  const status = job.result?.status ?? (running ? "running" : "none");
  const known = running ? null : shown.document;
  const words = running ? UNDER_WAY[job.state] : known?.headline ?? capital(job.result?.words ?? (shown.failure || job.state));
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
        !running && job.result && comparable(jobs, job).length ? comparisonChoice(comparable(jobs, job), place.other, (other) => go({ other })) : "",
        !running ? button("Learn again", learn, { id: "again", class: changed ? "primary" : null }) : "")),
    !running && job.result && shown.failure ? element("p", { class: "problem" }, shown.failure) : "",
    constraintList(place.learning, change),
    others(job),
  );
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function others(job) {
  const more = jobs.filter((one) => one.job !== job.job && one.state in UNDER_WAY);
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
  part("difference").replaceChildren(element("p", {}, differenceInWords(here, there, job, against)));
});

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
explorer.addEventListener("require", ({ detail }) => change(constrained(place.learning, "require", detail.edge)));
explorer.addEventListener("forbid", ({ detail }) => change(constrained(place.learning, "forbid", detail.edge)));
explorer.addEventListener("why", async ({ detail }) => {
  detail.show("Asking the score …");
  try {
    detail.show(whyInWords(await asked(`jobs/${place.job}/why`, { pair: detail.edge }), detail.present));
  } catch (error) {
    detail.show(error.message);
  }
});

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
