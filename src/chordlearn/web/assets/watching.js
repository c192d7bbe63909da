/* How a run goes: the curve of score and bound, and the ladder of what is proved. */

import { element, number, svg } from "./dom.js";

const HEIGHT = 170, LEFT = 8, RIGHT = 8, TOP = 10, BOTTOM = 22;
/* A bound farther from the score than the score from where it began says nothing yet. */
const TELLING = 3;

export class Watching {
  constructor(root) {
    this.curve = svg("svg", { class: "curve", height: HEIGHT, role: "img" });
    this.ladder = element("ol", { class: "ladder" });
    this.line = element("p", { class: "stage", "aria-live": "polite" });
    root.replaceChildren(
      element("div", { class: "how" }, element("h2", {}, "How it goes"), this.line),
      element("div", { class: "curve-box" }, this.curve,
        element("p", { class: "legend" }, element("span", { class: "key score" }, "best score"), element("span", { class: "key bound" }, "no network scores more"))),
      element("div", { class: "ladder-box" }, element("h3", {}, "Proved so far"), this.ladder));
    new ResizeObserver(() => { this.drawn ??= requestAnimationFrame(() => this.draw()); }).observe(this.curve);
    this.clear();
  }

  clear(largest) {
    this.largest = largest;
    this.scores = [];
    this.bounds = [];
    this.claims = [];
    this.before = this.time = this.improvements = 0;
    this.stage = this.detail = "";
    this.proved = false;
    this.drawn ??= requestAnimationFrame(() => this.draw());
  }

  hear(message) {
    if (message.run) this.before = this.time;
    if (message.t != null) this.time = this.before + message.t;
    if (message.stage != null) this.stage = message.stage;
    if (message.detail != null) this.detail = message.detail;
    if (message.score != null && message.score !== this.scores.at(-1)?.[1]) {
      this.scores.push([this.time, message.score]);
      this.improvements += 1;
    }
    if (message.bound != null) this.bounds.push([this.time, message.bound]);
    if (message.claims) this.claims = message.claims;
    if (message.result) this.end(message.result);
    this.drawn ??= requestAnimationFrame(() => this.draw());
  }

  end(result) {
    this.proved = result.status === "optimal";
    this.stage = `${this.improvements === 1 ? "One network" : `${this.improvements} networks, each better than the one before,`} in ${number(this.time, 1)} s.`;
    this.detail = "";
    if (result.bound != null) this.bounds.push([this.time, result.bound]);
  }

  draw() {
    this.drawn = null;
    this.line.textContent = [this.stage, this.detail].filter(Boolean).join(" · ");
    this.drawCurve();
    this.drawLadder();
  }

  drawCurve() {
    const WIDTH = Math.max(200, this.curve.clientWidth);
    this.curve.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    const scores = this.scores, best = scores.at(-1)?.[1];
    this.curve.replaceChildren();
    this.curve.setAttribute("aria-label", best == null ? "no network yet" :
      `score ${number(best)} after ${this.improvements} networks${this.proved ? ", proved" : ""}`);
    if (best == null) return;
    // Early scores and loose bounds are far away; what counts is near the end.
    const lowest = scores[Math.floor(scores.length / 3)][1];
    const room = Math.max(best - lowest, Math.abs(best) * 1e-4, 1e-6);
    const telling = this.bounds.filter(([, bound]) => bound - best <= TELLING * room || this.proved);
    const top = Math.max(best, ...telling.map(([, bound]) => Math.min(bound, best + TELLING * room))) + room * 0.1;
    const bottom = Math.min(lowest, best - room) - room * 0.1;
    const begin = scores[0][0], end = Math.max(this.time, begin + 1e-3), seconds = (t) => `${t < 10 ? t.toFixed(1) : t.toFixed(0)} s`;
    const x = (t) => LEFT + (Math.max(0, t - begin) / (end - begin)) * (WIDTH - LEFT - RIGHT);
    const y = (v) => TOP + (1 - (Math.min(Math.max(v, bottom), top) - bottom) / (top - bottom)) * (HEIGHT - TOP - BOTTOM);
    const path = (points) => points.map(([t, v], i) => `${i ? `H${x(t).toFixed(1)}V` : `M${x(t).toFixed(1)} `}${y(v).toFixed(1)}`).join("") + `H${x(end).toFixed(1)}`;
    const base = HEIGHT - BOTTOM;
    this.curve.append(
      svg("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: base, y2: base }),
      svg("path", { class: "under", d: `${path(scores)}V${base}H${x(scores[0][0]).toFixed(1)}Z` }),
      telling.length ? svg("path", { class: "bound", d: path(telling) }) : "",
      svg("path", { class: "score", d: path(scores) }),
      ...scores.slice(-60).map(([t, v]) => svg("circle", { class: "dot", cx: x(t).toFixed(1), cy: y(v).toFixed(1), r: 2.4 })),
      svg("text", { x: LEFT, y: HEIGHT - 6 }, seconds(begin)),
      svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, seconds(end)),
      svg("text", { class: "value", x: WIDTH - RIGHT, y: Math.max(TOP + 4, y(best) - 6), "text-anchor": "end" }, number(best, 4)),
    );
  }

  drawLadder() {
    const rung = (words, proved, gap) => element("li", { class: proved ? "proved" : "open" },
      element("span", {}, words), element("strong", {}, proved ? "proved" : gap == null ? "open" : `within ${number(gap, gap < 10 ? 2 : 0)}`));
    const best = this.scores.at(-1)?.[1], bound = this.bounds.at(-1)?.[1];
    const telling = best != null && bound != null && bound - best <= 0.05 * Math.abs(best);
    const classes = this.claims.map((claim) =>
      rung(`cliques of at most ${claim.max_clique}`, claim.proved, claim.gap != null && claim.gap <= 0.05 * Math.abs(claim.score) ? claim.gap : null));
    this.ladder.replaceChildren(...classes, best == null ? "" : rung(this.largest ? `cliques of at most ${this.largest}` : "all networks", this.proved, telling ? bound - best : null));
  }
}
