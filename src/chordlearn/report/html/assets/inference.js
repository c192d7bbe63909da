/*
 * Exact inference on a junction forest, as chordlearn does it in Python.
 *
 * A table is an array of numbers, row by row: the last variable of its clique changes fastest. The forest lists cliques
 * with every parent before its children. Messages go from the leaves to the roots and back; then each clique holds
 * its distribution given the evidence.
 */

const sum = (values) => values.reduce((total, value) => total + value, 0);

/* For each cell of a table over `from`, the cell of a table over `onto` (some of its variables) that it falls in. */
export function projection(from, onto, sizes) {
  const cells = from.reduce((product, variable) => product * sizes[variable], 1);
  const place = new Int32Array(cells);
  let inner = 1;
  for (let i = from.length - 1; i >= 0; i--) {
    const size = sizes[from[i]];
    const position = onto.indexOf(from[i]);
    if (position >= 0) {
      const stride = onto.slice(position + 1).reduce((product, variable) => product * sizes[variable], 1);
      for (let cell = 0; cell < cells; cell++) place[cell] += (Math.floor(cell / inner) % size) * stride;
    }
    inner *= size;
  }
  return place;
}

export function summed(values, place, size) {
  const totals = new Float64Array(size);
  for (let cell = 0; cell < values.length; cell++) totals[place[cell]] += values[cell];
  return totals;
}

/* Everything that does not depend on the evidence. */
export function prepare(facts) {
  const sizes = facts.states.map((labels) => labels.length);
  const nodes = facts.forest.map(({ clique, parent, separator }) => {
    const variables = facts.cliques[clique];
    const size = separator.reduce((product, variable) => product * sizes[variable], 1);
    const toSeparator = projection(variables, separator, sizes);
    const table = Float64Array.from(facts.tables[clique]);
    const totals = summed(table, toSeparator, size);
    const conditional =
      parent === null ? table : table.map((value, cell) => (value > 0 ? value / totals[toSeparator[cell]] : 0));
    const above = parent === null ? null : facts.cliques[facts.forest[parent].clique];
    return {
      clique, variables, parent, size, toSeparator, conditional,
      fromParent: above && projection(above, separator, sizes),
      states: variables.map((variable) => projection(variables, [variable], sizes)),
    };
  });
  return { sizes, nodes };
}

/*
 * The distribution of every variable given evidence, from a variable's number to its state's, and of every clique.
 * Returns { logProbability, marginals, cliques }; the latter are null if the evidence is impossible.
 */
export function propagate(forest, evidence) {
  const beliefs = forest.nodes.map((node) => withEvidence(node, evidence));
  const messages = [];
  let logProbability = 0;
  for (let i = forest.nodes.length - 1; i >= 0; i--) {
    const node = forest.nodes[i];
    const total = sum(beliefs[i]);
    if (total === 0) return { logProbability: -Infinity, marginals: null, cliques: null };
    logProbability += Math.log(total);
    beliefs[i] = beliefs[i].map((value) => value / total);
    if (node.parent === null) continue;
    messages[i] = summed(beliefs[i], node.toSeparator, node.size);
    const above = beliefs[node.parent];
    for (let cell = 0; cell < above.length; cell++) above[cell] *= messages[i][node.fromParent[cell]];
  }
  forest.nodes.forEach((node, i) => {
    if (node.parent === null) return;
    const wanted = summed(beliefs[node.parent], node.fromParent, node.size);
    beliefs[i] = beliefs[i].map((value, cell) => {
      const separator = node.toSeparator[cell];
      return value > 0 ? (value * wanted[separator]) / messages[i][separator] : 0;
    });
  });
  const cliques = [];
  forest.nodes.forEach((node, i) => { cliques[node.clique] = beliefs[i]; });
  return { logProbability, marginals: marginalsOf(forest, beliefs), cliques };
}

function withEvidence(node, evidence) {
  const values = node.conditional.slice();
  node.variables.forEach((variable, i) => {
    if (!evidence.has(variable)) return;
    const known = evidence.get(variable);
    for (let cell = 0; cell < values.length; cell++) if (node.states[i][cell] !== known) values[cell] = 0;
  });
  return values;
}

function marginalsOf(forest, beliefs) {
  const marginals = [];
  forest.nodes.forEach((node, i) => {
    node.variables.forEach((variable, axis) => {
      if (marginals[variable]) return;
      const totals = summed(beliefs[i], node.states[axis], forest.sizes[variable]);
      const total = sum(totals);
      marginals[variable] = totals.map((value) => value / total);
    });
  });
  return marginals;
}
