/*
 * Where variables go on paper: distances on paper follow distances in the graph (stress, lowered by stochastic gradient
 * descent), boxes do not overlap, connected components stand side by side. The same every time.
 */

const STEP = 96, GAP = 14, FEW = 100, MANY = 120, MOST_PULLED = 1.6, MOST_PAIRED = 700, PIVOTS = 80;

function chance(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

export function components(near, among = near.keys()) {
  const allowed = new Set(among);
  const parts = [];
  for (const start of [...allowed]) {
    if (!allowed.delete(start)) continue;
    const part = [start];
    for (const vertex of part) for (const other of near[vertex]) if (allowed.delete(other)) part.push(other);
    parts.push(part);
  }
  return parts;
}

/* Numbers of edges from one vertex to all that can be reached. */
export function stepsFrom(near, start) {
  const steps = new Map([[start, 0]]);
  for (const [vertex, count] of steps) for (const other of near[vertex]) if (!steps.has(other)) steps.set(other, count + 1);
  return steps;
}

function distancesFrom(near, start, length) {
  const far = new Map([[start, 0]]);
  const queue = [start];
  for (const vertex of queue) {
    for (const other of near[vertex]) {
      const found = far.get(vertex) + length(vertex, other);
      if (found + 1e-9 >= (far.get(other) ?? Infinity)) continue;
      far.set(other, found);
      queue.push(other);
    }
  }
  return far;
}

/*
 * near: the neighbours of each vertex; boxes: [{ width, height }]; length(a, b): wanted of an edge; before: where some vertices
 * were, { x, y } or undefined; aspect: of the stage, width by height. Gives { x, y } of each centre.
 */
export function place(near, boxes, { length = () => 1, before = [], aspect = 1.4 } = {}) {
  const points = near.map(() => ({ x: 0, y: 0 }));
  const parts = components(near).sort((a, b) => b.length - a.length);
  const blocks = parts.filter((part) => part.length > 1).map((part) => block(near, boxes, part, { length, before, aspect }));
  const area = blocks.reduce((total, { width, height }) => total + width * height, 0);
  const limit = Math.max(Math.min(640, 450 * aspect), Math.sqrt(area * 1.15 * aspect), ...blocks.map(({ width }) => width));
  const single = parts.filter((part) => part.length === 1).map(([vertex]) => {
    const { width, height } = boxes[vertex];
    return { width: width + GAP, height: height + GAP, places: new Map([[vertex, { x: (width + GAP) / 2, y: (height + GAP) / 2 }]]) };
  });
  shelve([...rows(blocks, limit), ...rows(single, blocks.length ? limit : Math.max(300, Math.sqrt(single.length * aspect) * 80))], points);
  return filled(points, boxes, aspect);
}

/* Pulled apart in the one direction in which the stage has room, which makes no boxes overlap. */
function filled(points, boxes, aspect) {
  const reach = (axis, side) => Math.max(...points.map((point, i) => point[axis] + boxes[i][side] / 2)) -
    Math.min(...points.map((point, i) => point[axis] - boxes[i][side] / 2));
  const wide = reach("x", "width") / (reach("y", "height") * aspect);
  const [x, y] = [Math.min(MOST_PULLED, Math.max(1, 1 / wide)), Math.min(MOST_PULLED, Math.max(1, wide))];
  return points.map((point) => ({ x: point.x * x, y: point.y * y }));
}

/* Blocks in rows no wider than a limit. */
function rows(blocks, limit) {
  const made = [];
  let left = Infinity;
  for (const block of blocks) {
    if (left + block.width > limit) { made.push([]); left = 0; }
    made.at(-1).push(block);
    left += block.width;
  }
  return made;
}

/* Put rows below each other, each in the middle. */
function shelve(rows, points) {
  let top = 0;
  for (const row of rows) {
    let left = -row.reduce((total, { width }) => total + width, 0) / 2;
    for (const { width, places } of row) {
      for (const [vertex, { x, y }] of places) points[vertex] = { x: left + x, y: top + y };
      left += width;
    }
    top += Math.max(...row.map(({ height }) => height));
  }
}

function block(near, boxes, part, { length, before, aspect }) {
  const inside = new Map(part.map((vertex, i) => [vertex, i]));
  const edges = part.flatMap((vertex, i) => near[vertex].filter((other) => other < vertex).map((other) => [i, inside.get(other)]));
  const pairs = [];
  // Of very many vertices the distances to some are enough.
  const all = part.length <= MOST_PAIRED;
  const every = all ? 1 : Math.ceil(part.length / PIVOTS);
  part.forEach((vertex, i) => {
    if (i % every) return;
    distancesFrom(near, vertex, length).forEach((steps, other) => {
      const j = inside.get(other);
      if (all ? j < i : j !== i) pairs.push([i, j, steps]);
    });
  });
  if (!all) edges.forEach(([i, j]) => pairs.push([i, j, length(part[i], part[j])]));
  const own = part.map((vertex) => boxes[vertex]);
  const known = part.map((vertex) => before[vertex]);
  let points;
  if (known.filter(Boolean).length > part.length / 2) {
    points = warm(part, near, known, before, pairs);
  } else {
    const starts = part.length <= FEW ? [1, 2, 3, 4, 5, 6] : [1];
    const tries = starts.map((seed) => cold(part.length, pairs, seed));
    const costs = tries.map((tried) => (starts.length > 1 ? crossings(tried, edges) + stress(tried, pairs) / part.length : 0));
    points = stretched(flat(tries[costs.indexOf(Math.min(...costs))]), aspect).map(({ x, y }) => ({ x: x * STEP, y: y * STEP }));
    apart(points, own);
    points = together(points, own);
  }
  apart(points, own);
  if (part.length <= MANY) clear(points, own, edges);
  const left = Math.min(...points.map(({ x }, i) => x - own[i].width / 2)) - GAP;
  const top = Math.min(...points.map(({ y }, i) => y - own[i].height / 2)) - GAP;
  const places = new Map(part.map((vertex, i) => [vertex, { x: points[i].x - left, y: points[i].y - top }]));
  const width = Math.max(...points.map(({ x }, i) => x + own[i].width / 2)) - left + GAP;
  const height = Math.max(...points.map(({ y }, i) => y + own[i].height / 2)) - top + GAP;
  return { width, height, places };
}

function cold(count, pairs, seed) {
  const random = chance(seed);
  const points = Array.from({ length: count }, () => ({ x: random(), y: random() }));
  return descend(points, pairs, pairs.reduce((most, [, , steps]) => Math.max(most, steps), 1) ** 2, count > 200 ? 16 : 40, random);
}

/* Who is new starts among its neighbours; everything moves a little. */
function warm(part, near, known, before, pairs) {
  const random = chance(7);
  const middle = (list, axis) => list.reduce((total, point) => total + point[axis], 0) / list.length;
  const all = known.filter(Boolean);
  const points = part.map((vertex, i) => {
    const around = near[vertex].map((other) => before[other]).filter(Boolean);
    const at = known[i] ?? { x: middle(around.length ? around : all, "x") + random(), y: middle(around.length ? around : all, "y") + random() };
    return { x: at.x / STEP / 1.2, y: at.y / STEP };
  });
  return descend(points, pairs, 1, 12, random).map(({ x, y }) => ({ x: x * STEP * 1.2, y: y * STEP }));
}

/* Each pair of vertices moves towards its distance, near pairs more, and all less with every round. */
function descend(points, pairs, first, rounds, random) {
  const cooling = Math.log(first / 0.05) / (rounds - 1);
  for (let round = 0; round < rounds; round++) {
    const rate = first * Math.exp(-cooling * round);
    for (let i = pairs.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [pairs[i], pairs[j]] = [pairs[j], pairs[i]];
    }
    for (const [i, j, steps] of pairs) {
      const dx = points[i].x - points[j].x, dy = points[i].y - points[j].y;
      const length = Math.hypot(dx, dy) || 1e-9;
      const move = (Math.min(1, rate / (steps * steps)) * (length - steps)) / 2 / length;
      points[i].x -= move * dx; points[i].y -= move * dy;
      points[j].x += move * dx; points[j].y += move * dy;
    }
  }
  return points;
}

function stress(points, pairs) {
  return pairs.reduce((total, [i, j, steps]) =>
    total + (Math.hypot(points[i].x - points[j].x, points[i].y - points[j].y) / steps - 1) ** 2, 0);
}

function crossings(points, edges) {
  const side = (a, b, c) => (b.x - a.x) * (c.y - a.y) > (b.y - a.y) * (c.x - a.x);
  let count = 0;
  edges.forEach(([a, b], i) => {
    for (let j = 0; j < i; j++) {
      const [c, d] = edges[j];
      if (a === c || a === d || b === c || b === d) continue;
      const [p, q, r, s] = [points[a], points[b], points[c], points[d]];
      if (side(p, q, r) !== side(p, q, s) && side(r, s, p) !== side(r, s, q)) count++;
    }
  });
  return count;
}

/* Turned so that the longest direction lies flat: labels are wide, and so are screens. */
function flat(points) {
  const x = points.reduce((total, point) => total + point.x, 0) / points.length;
  const y = points.reduce((total, point) => total + point.y, 0) / points.length;
  const moments = points.reduce(([xx, xy, yy], point) =>
    [xx + (point.x - x) ** 2, xy + (point.x - x) * (point.y - y), yy + (point.y - y) ** 2], [0, 0, 0]);
  const angle = Math.atan2(2 * moments[1], moments[0] - moments[2]) / 2;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return points.map((point) => ({
    x: (point.x - x) * cos + (point.y - y) * sin, y: (point.y - y) * cos - (point.x - x) * sin,
  }));
}

/* Turned and stretched, within reason, to fill the stage. */
function stretched(points, aspect) {
  const turned = aspect < 1 ? points.map(({ x, y }) => ({ x: -y, y: x })) : points;
  const reach = (axis) => Math.max(...turned.map((point) => point[axis])) - Math.min(...turned.map((point) => point[axis])) || 0.1;
  const factor = Math.min(1.5, Math.max(0.67, Math.sqrt((aspect * reach("y")) / reach("x"))));
  return turned.map(({ x, y }) => ({ x: x * factor, y: y / factor }));
}

/* Separate boxes that overlap along the direction that needs less. */
function apart(points, boxes) {
  const order = points.map((_, i) => i);
  for (let pass = 0, moved = true; moved && pass < (points.length > MANY ? 40 : 120); pass++) {
    moved = false;
    order.sort((i, j) => points[i].y - points[j].y);
    for (let a = 0; a < order.length; a++) {
      for (let b = a + 1; b < order.length; b++) {
        const i = order[a], j = order[b];
        const dy = (boxes[i].height + boxes[j].height) / 2 + GAP - Math.abs(points[i].y - points[j].y);
        if (dy <= 0.01) { if (points[j].y - points[i].y > 200) break; continue; }
        const dx = (boxes[i].width + boxes[j].width) / 2 + GAP - Math.abs(points[i].x - points[j].x);
        if (dx <= 0.01) continue;
        moved = true;
        const [axis, over] = dx < dy ? ["x", dx] : ["y", dy];
        const shift = points[i][axis] >= points[j][axis] ? over / 2 : -over / 2;
        points[i][axis] += shift;
        points[j][axis] -= shift;
      }
    }
  }
}

/* A picture that is mostly empty is drawn together. */
function together(points, boxes) {
  const needed = boxes.reduce((total, { width, height }) => total + (width + 30) * (height + 34), 0) * 2.5;
  const reach = (axis) => Math.max(...points.map((point) => point[axis])) - Math.min(...points.map((point) => point[axis]));
  const factor = Math.min(1, Math.max(0.5, Math.sqrt(needed / Math.max(1, reach("x") * reach("y")))));
  return points.map(({ x, y }) => ({ x: x * factor, y: y * factor }));
}

/* Push boxes off the edges that would run behind them; keeps the best of what was tried. */
function clear(points, boxes, edges) {
  let best = null, fewest = Infinity;
  for (let round = 0; round < 50; round++) {
    const steps = covered(points, boxes, edges);
    if (steps.length < fewest) [best, fewest] = [points.map((point) => ({ ...point })), steps.length];
    if (!steps.length) break;
    for (const [i, dx, dy] of steps) { points[i].x += dx; points[i].y += dy; }
    apart(points, boxes);
  }
  best.forEach((point, i) => { points[i] = point; });
}

function covered(points, boxes, edges) {
  const steps = [];
  for (const [a, b] of edges) {
    const along = { x: points[b].x - points[a].x, y: points[b].y - points[a].y };
    const length = Math.hypot(along.x, along.y) || 1e-9;
    const normal = { x: -along.y / length, y: along.x / length };
    points.forEach((point, i) => {
      if (i === a || i === b) return;
      const dx = point.x - points[a].x, dy = point.y - points[a].y;
      const share = (dx * along.x + dy * along.y) / length ** 2;
      const aside = dx * normal.x + dy * normal.y;
      const reach = (Math.abs(normal.x) * boxes[i].width + Math.abs(normal.y) * boxes[i].height) / 2 + 5;
      if (share < 0.04 || share > 0.96 || Math.abs(aside) >= reach) return;
      const step = (reach - Math.abs(aside) + 2) * (aside >= 0 ? 1 : -1);
      steps.push([i, step * normal.x, step * normal.y]);
    });
  }
  return steps;
}
