import { expect, test } from 'vitest';
import {
  check,
  type Improvement,
  loadImprovement,
  NO_IMPROVEMENT,
  saveImprovement,
} from '../src/improvement.js';

/** A fixed generator, so that a failure can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test('1,000 random courses of a metric, with NaN and infinities, have the best and the plateaus that the README defines', () => {
  const random = randomFrom(5);
  for (let round = 0; round < 1000; round++) {
    const mode = random() < 0.5 ? 'min' : 'max';
    const minDelta = random() < 0.5 ? 0 : 0.1;
    const values = Array.from({ length: 1 + Math.floor(random() * 15) }, () =>
      random() < 0.1
        ? [Number.NaN, Infinity, -Infinity][Math.floor(random() * 3)]!
        : Math.round(random() * 20) / 10,
    );
    // The rules, applied to the whole course from its start for each value.
    const bestsUntil = (end: number): number[] => {
      const bests: number[] = [];
      for (const [index, value] of values.slice(0, end + 1).entries()) {
        const isBeaten = (best: number) =>
          mode === 'min' ? value + minDelta < values[best]! : value - minDelta > values[best]!;
        if (Number.isFinite(value) && bests.every(isBeaten)) bests.push(index);
      }
      return bests;
    };
    let state: Improvement = NO_IMPROVEMENT;
    for (const [epoch, value] of values.entries()) {
      // As if each check were made by a run that resumed the one before.
      state = check(
        loadImprovement(JSON.parse(JSON.stringify(saveImprovement(state))), 'notify'),
        value,
        epoch,
        {
          mode,
          minDelta,
        },
      );
      const last = bestsUntil(epoch).at(-1);
      expect(state, `${mode} ${minDelta} ${values}`).toEqual({
        best: last === undefined ? undefined : values[last],
        bestEpoch: last,
        wait: epoch - (last ?? -1),
      });
    }
  }
});
