/**
 * The cycles in a graph of imports: through every file that is part of one, a shortest cycle, each named once. A knot of
 * many files gives several, so that nobody has to run the check again after each repair.
 * @param {{ from: string, to: string | undefined }[]} edges
 * @returns {string[][]} Paths that end where they begin.
 */
export function findCycles(edges) {
  /** @type {Map<string, Set<string>>} */
  const imports = new Map();
  for (const { from, to } of edges) {
    if (to !== undefined) imports.set(from, (imports.get(from) ?? new Set()).add(to));
  }
  /** @type {Map<string, string[]>} */
  const cycles = new Map();
  for (const file of [...imports.keys()].sort()) {
    const path = shortestCycle(file, imports);
    if (path && !cycles.has(keyOf(path))) cycles.set(keyOf(path), path);
  }
  return [...cycles.values()];
}

/**
 * Breadth first, from the file back to itself.
 * @param {string} start
 * @param {Map<string, Set<string>>} imports
 */
function shortestCycle(start, imports) {
  const paths = [[start]];
  const seen = new Set();
  for (const path of paths) {
    for (const next of imports.get(String(path.at(-1))) ?? []) {
      if (next === start) return [...path, start];
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}

/**
 * The same for every file that the cycle could begin with.
 * @param {string[]} path
 */
function keyOf(path) {
  const files = path.slice(1);
  const first = files.indexOf([...files].sort()[0] ?? '');
  return [...files.slice(first), ...files.slice(0, first)].join('\n');
}
