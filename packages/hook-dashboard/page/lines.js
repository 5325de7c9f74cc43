import { chartOf, rankOf, smoothed } from './points.js';

/** @typedef {import('./points.js').ShownRun} ShownRun */
/** @typedef {import('./points.js').Points} Points */
/** @typedef {{ label: string, color: number, isFaint: boolean, isDashed: boolean, points: Points }} Line */
/** @typedef {{ smoothing: number, isLog: boolean, filter: string }} Settings */

const STAGES = ['train/', 'val/', 'test/'];

/**
 * The charts of these runs in their order, each with the names of its curves.
 * @param {readonly ShownRun[]} runs
 * @param {string} filter
 * @returns {[title: string, names: string[]][]}
 */
export function chartsOf(runs, filter) {
  /** @type {Map<string, Set<string>>} */
  const names = new Map();
  for (const run of runs) {
    for (const name of run.points.keys()) {
      const title = chartOf(name);
      names.set(title, (names.get(title) ?? new Set()).add(name));
    }
  }
  const wanted = [...names].filter(([title]) => title.toLowerCase().includes(filter.toLowerCase()));
  wanted.sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  return wanted.map(([title, group]) => [title, [...group]]);
}

/**
 * Training, validation and test have the same colours in every chart of one run; of several, each run has its own.
 * @param {readonly ShownRun[]} runs
 * @param {readonly string[]} names
 * @returns {Line[]}
 */
export function linesOf(runs, names) {
  const isAlone = runs.length === 1;
  const stage = (/** @type {string} */ name) => STAGES.findIndex((start) => name.startsWith(start));
  // Single batches first, so that the others are drawn above them.
  const isBatch = (/** @type {string} */ name) => name.startsWith('batch/');
  const sorted = [...names].sort((a, b) => Number(isBatch(b)) - Number(isBatch(a)) || stage(a) - stage(b));
  return runs.flatMap((run, at) =>
    sorted.flatMap((name, place) => {
      const points = run.points.get(name);
      if (!points) return [];
      const own = isBatch(name) ? 0 : stage(name) >= 0 ? stage(name) : place;
      return [
        {
          label: isAlone ? name : `${run.id} ${name}`,
          color: isAlone ? own : at,
          isFaint: isBatch(name),
          isDashed: !isAlone && name.startsWith('train/'),
          points,
        },
      ];
    }),
  );
}

/**
 * The points of a line as they are drawn.
 * @param {Points} points
 * @param {Settings} settings
 * @returns {Points}
 */
export function drawnPoints([steps, values], { smoothing, isLog }) {
  const drawn = smoothed(values, smoothing);
  // A logarithm has no place for zero and below.
  return [steps, isLog ? drawn.map((value) => (value !== null && value > 0 ? value : null)) : drawn];
}

/**
 * Whether a scale shows less than all steps.
 * @param {ArrayLike<number>} steps
 * @param {{ min?: number | null | undefined, max?: number | null | undefined } | undefined} scale
 */
export function isZoomed(steps, scale) {
  const [first, last] = [steps[0] ?? 0, steps[steps.length - 1] ?? 0];
  return scale !== undefined && ((scale.min ?? first) > first || (scale.max ?? last) < last);
}
