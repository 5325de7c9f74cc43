// What early stopping decides about thousands of random sequences of a metric, and about the sequences behind the
// README's table of differences.
import { judge, NO_RECORD } from '../packages/hook-early-stopping/src/judge.js';
import { type EarlyStoppingOptions, rulesOf } from '../packages/hook-early-stopping/src/options.js';

/** Values are text, because JSON has neither NaN nor infinity. */
interface Case {
  options: EarlyStoppingOptions;
  values: string[];
  ours: Decision;
}

interface Decision {
  /** Counted from 0; null where it never is. */
  stopped: number | null;
  /** Before the check that ended the run, at which the others do not look for it. */
  best: string | null;
}

const random = numbers(7);
const pick = <Item>(...items: Item[]): Item => items[Math.floor(random() * items.length)]!;

/** Eighths, so that many are equal, or apart by exactly `minDelta`, also in single precision. */
const eighths = (most: number) => Math.floor(random() * most) / 8;

/** What both have: NaN, infinity, thresholds. A threshold is never met exactly, which is a case of its own. */
const likeLightning = Array.from({ length: 2000 }, () =>
  caseOf(
    {
      ...common(),
      checkFinite: random() < 0.5,
      ...(random() < 0.3 && { stoppingThreshold: eighths(16) + 1 / 16 }),
      ...(random() < 0.3 && { divergenceThreshold: eighths(48) + 1 / 16 }),
    },
    // A first infinity is a case of its own as well.
    [eighths(40), ...sequence(Number.NaN, Infinity, -Infinity)],
  ),
);

/** What both have: NaN that counts, and a baseline. A first NaN is a case of its own. */
const likeKeras = Array.from({ length: 2000 }, () =>
  caseOf({ ...common(), checkFinite: false, ...(random() < 0.4 && { baseline: eighths(40) }) }, [
    eighths(40),
    ...sequence(Number.NaN),
  ]),
);

const differences = {
  'a threshold is reached': caseOf({ minDelta: 0, stoppingThreshold: 1 }, [3, 1, 0.5]),
  'an infinity comes first': caseOf({ minDelta: 0, checkFinite: false, patience: 1 }, [Infinity, 5]),
  'a NaN': caseOf({ minDelta: 0, patience: 3 }, [3, Number.NaN, 2, 1, 0]),
  'a NaN comes first': caseOf({ minDelta: 0, patience: 3, checkFinite: false }, [Number.NaN, 3, 2, 1, 0]),
  'better, and not than the baseline': caseOf({ minDelta: 0, patience: 2, baseline: 1 }, [9, 8, 7, 6, 5]),
};

console.log(JSON.stringify({ likeLightning, likeKeras, differences }));

function common(): EarlyStoppingOptions {
  return { mode: pick('min', 'max'), patience: pick(1, 2, 3, 5), minDelta: pick(0, 1 / 8, 1 / 2) };
}

function sequence(...special: number[]): number[] {
  return Array.from({ length: 2 + Math.floor(random() * 14) }, () =>
    random() < 0.06 ? pick(...special) : eighths(40),
  );
}

function caseOf(options: EarlyStoppingOptions, values: readonly number[]): Case {
  return { options, values: values.map(String), ours: decide(options, values) };
}

function decide(options: EarlyStoppingOptions, values: readonly number[]): Decision {
  const rules = rulesOf(options);
  let record = NO_RECORD;
  for (const [epoch, value] of values.entries()) {
    const verdict = judge(record, value, epoch, rules);
    if (verdict.reason !== undefined) return { stopped: epoch, best: textOf(record.best) };
    record = verdict.record;
  }
  return { stopped: null, best: textOf(record.best) };
}

function textOf(best: number | undefined): string | null {
  return best === undefined ? null : String(best);
}

/** The same in every run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
