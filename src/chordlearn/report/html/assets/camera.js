/* Zoom, pan and drag: where the picture is on the stage, with mouse, fingers and wheel. */

const NEAREST = 6, FARTHEST = 0.02, STILL = 4;

export class Camera {
  x = 0; y = 0; scale = 1;
  /* Whether somebody chose what is in view. */
  touched = false;
  #fingers = new Map();
  #drag = null;

  /* act: { moved(), tap(target, event), pick(target) → anything or null, drag(picked, dx, dy), drop(picked) } */
  constructor(stage, act) {
    this.act = act;
    stage.addEventListener("wheel", (event) => this.#wheel(event, stage), { passive: false });
    stage.addEventListener("dblclick", (event) => {
      if (!act.pick(event.target)) this.zoom(event.shiftKey ? 1 / 1.8 : 1.8, event.offsetX, event.offsetY);
    });
    stage.addEventListener("pointerdown", (event) => this.#down(event));
    stage.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, (event) => this.#up(event));
  }

  at({ x, y }) { return { x: x * this.scale + this.x, y: y * this.scale + this.y }; }

  pan(dx, dy) { this.x += dx; this.y += dy; this.touched = true; this.act.moved(); }

  zoom(factor, x, y) {
    const scale = Math.min(NEAREST, Math.max(FARTHEST, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.touched = true;
    this.act.moved();
  }

  show(x, y, scale) {
    [this.x, this.y, this.scale, this.touched] = [x, y, scale, false];
    this.act.moved();
  }

  /* The wheel scrolls the page until somebody is at work in the picture. */
  #wheel(event, stage) {
    if (!event.ctrlKey && !event.metaKey && !stage.contains(document.activeElement)) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    this.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.002)), event.offsetX, event.offsetY);
  }

  #down(event) {
    if (event.button > 0) return;
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#fingers.size === 1) {
      this.#drag = { target: event.target, picked: this.act.pick(event.target), far: 0 };
    }
  }

  #move(event) {
    const before = this.#fingers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const dx = now.x - before.x, dy = now.y - before.y;
    if (this.#fingers.size > 1) {
      const other = [...this.#fingers].find(([id]) => id !== event.pointerId)[1];
      const spread = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
      const box = event.currentTarget.getBoundingClientRect();
      this.zoom(spread(now) / spread(before), (now.x + other.x) / 2 - box.x, (now.y + other.y) / 2 - box.y);
      this.pan(dx / 2, dy / 2);
      this.#drag.far = Infinity;
    } else {
      this.#drag.far += Math.hypot(dx, dy);
      if (this.#drag.far < STILL) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      if (this.#drag.picked === null) this.pan(dx, dy);
      else this.act.drag(this.#drag.picked, dx / this.scale, dy / this.scale);
    }
    this.#fingers.set(event.pointerId, now);
  }

  #up(event) {
    if (!this.#fingers.delete(event.pointerId) || this.#fingers.size) return;
    const { target, picked, far } = this.#drag;
    if (far >= STILL) { if (picked !== null) this.act.drop(picked); }
    else if (event.type === "pointerup") this.act.tap(target, event);
  }
}
