import type { RunMessage, ShownRun } from '../page/points.js';

/** A message about a run that has said nothing yet. */
export function runMessage(more: Partial<RunMessage> = {}): RunMessage {
  return {
    id: 'a',
    folder: 'a',
    isWhole: true,
    status: 'running',
    resumes: [],
    epochs: 0,
    warnings: [],
    series: {},
    ...more,
  };
}

/** A run on the page with these curves, each of one point. */
export function runWith(id: string, names: readonly string[]): ShownRun {
  const points = new Map(names.map((name): [string, [number[], number[]]] => [name, [[1], [1]]]));
  return { ...runMessage({ id, folder: id }), points, takenAt: 0 };
}
