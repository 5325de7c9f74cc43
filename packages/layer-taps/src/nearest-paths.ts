import { editDistance } from '@hookline/hook-api/helpers';

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
