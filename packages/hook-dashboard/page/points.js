/** @typedef {import('../src/server/run-message.js').RunMessage} RunMessage */
/** @typedef {import('../src/server/run-message.js').ControlsMessage} ControlsMessage */
/** @typedef {[steps: number[], values: (number | null)[]]} Points */
/** @typedef {RunMessage & { points: Map<string, Points>, takenAt: number }} ShownRun */

/**
 * The run as it is after a message: everything again, or what is new.
 * @param {ShownRun | undefined} known
 * @param {RunMessage} message
 * @returns {ShownRun}
 */
export function taken(known, message) {
  const points = message.isWhole || !known ? new Map() : known.points;
  for (const [name, [steps, values]] of Object.entries(message.series)) {
    const [allSteps, allValues] = points.get(name) ?? [[], []];
    const last = allSteps.at(-1) ?? -Infinity;
    steps.forEach((step, at) => {
      // A page that came while the log was being read is told some points twice.
      if (step <= last) return;
      allSteps.push(step);
      allValues.push(values[at] ?? null);
    });
    points.set(name, [allSteps, allValues]);
  }
  return { ...message, points, takenAt: Date.now() };
}

/**
 * A moving average that forgets, without the pull of its first value: as TensorBoard smooths.
 * @param {(number | null)[]} values
 * @param {number} weight
 */
export function smoothed(values, weight) {
  if (weight === 0) return values;
  let [mean, count] = [0, 0];
  return values.map((value) => {
    if (value === null) return null;
    mean = mean * weight + value * (1 - weight);
    count++;
    return mean / (1 - weight ** count);
  });
}

/**
 * `train/loss`, `val/loss` and `batch/loss` share a chart; other names have one each.
 * @param {string} name
 */
export function chartOf(name) {
  return /^(train|val|batch|test)\//.test(name) ? name.slice(name.lastIndexOf('/') + 1) : name;
}

/**
 * Loss first, then what was measured, learning rates, and the rest by name.
 * @param {string} title
 */
export function rankOf(title) {
  if (title === 'loss') return 0;
  if (!title.includes('/')) return 1;
  const rank = ['lr/', 'grad/', 'speed/'].findIndex((start) => title.startsWith(start));
  if (rank >= 0) return 2 + rank;
  return /^(memory|gpu|checkpoint|time)\//.test(title) ? 6 : 5;
}
