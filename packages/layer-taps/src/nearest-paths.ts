/**
 * The paths closest to a name that matched nothing. People often write the last segment only, or the other name that
 * is given with each path, such as the one that tfjs gave the layer, so those count as well.
 */
export function nearestPaths(name: string, paths: ReadonlyMap<string, string>, count: number): string[] {
  return [...paths]
    .map(([path, otherName]) => {
      const lastSegment = path.slice(path.lastIndexOf('/') + 1);
      const distances = [path, lastSegment, otherName].map((known) => editDistance(name, known));
      return { path, distance: Math.min(...distances) };
    })
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ path }) => path);
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
