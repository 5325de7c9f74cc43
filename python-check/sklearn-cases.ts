// Outputs and targets whose metrics sklearn-metrics.py judges.
import type { LossName } from '../packages/trainer/src/index.js';

export interface MetricCase {
  /** One yes or no, several of them, one choice between classes, or plain numbers. */
  kind: 'binary' | 'labels' | 'classes' | 'numbers';
  loss: LossName;
  scores: keyof typeof SCORES;
  /** How many numbers the model gives for each sample, or for each step. */
  width: number;
  /** Of a sequence; absent for samples without steps. */
  steps?: number;
  /** Class numbers as a column of their own, [batch, 1] rather than [batch]. */
  column?: true;
}

export const BATCHES = [64, 1, 7, 48];

/** The score of one output number, by whether it should be high. */
export const SCORES = {
  spread: (isRight: boolean, random: () => number) => 3 * (random() + random() - 1) + (isRight ? 1 : -0.5),
  /** Many are equal, and many are exactly at the threshold. */
  ties: (isRight: boolean, random: () => number) =>
    Math.round(2 * (random() + random() - 1)) + (isRight ? 1 : 0),
  /** Hardly anything is said to be likely. */
  rare: (isRight: boolean, random: () => number) => 4 * (random() + random() - 1) - (isRight ? 5 : 8),
  /** Nearly everything is said for certain. */
  sure: (isRight: boolean, random: () => number) => 9 * (random() + random() - 1) + (isRight ? 4 : -3),
};

/** How often a yes is true, or how much likelier one class is than the next. */
export const SHARES: Record<keyof typeof SCORES, number> = { spread: 0.4, ties: 0.5, rare: 0.06, sure: 0.5 };

const every = Object.keys(SCORES) as (keyof typeof SCORES)[];
const withEvery = (losses: readonly LossName[], rest: Pick<MetricCase, 'kind' | 'width' | 'steps'>) =>
  losses.flatMap((loss) => every.map((scores): MetricCase => ({ ...rest, loss, scores })));

const yesOrNo = ['binaryCrossentropy', 'sigmoidCrossentropy', 'hinge', 'squaredHinge'] as const;
const choices = [
  'categoricalCrossentropy',
  'softmaxCrossentropy',
  'sparseCategoricalCrossentropy',
  'sparseSoftmaxCrossentropy',
  'categoricalHinge',
] as const;

export const METRIC_CASES: readonly MetricCase[] = [
  ...withEvery(yesOrNo, { kind: 'binary', width: 1 }),
  ...withEvery(yesOrNo, { kind: 'labels', width: 4 }),
  ...withEvery(choices, { kind: 'classes', width: 3 }),
  // More classes than occur, and than topKAccuracy looks at.
  ...withEvery(choices, { kind: 'classes', width: 8 }),
  { kind: 'classes', width: 2, loss: 'sparseSoftmaxCrossentropy', scores: 'spread' },
  { kind: 'classes', width: 3, loss: 'sparseSoftmaxCrossentropy', scores: 'ties', column: true },
  { kind: 'classes', width: 8, loss: 'sparseCategoricalCrossentropy', scores: 'rare', column: true },
  { kind: 'binary', width: 1, steps: 3, loss: 'sigmoidCrossentropy', scores: 'spread' },
  { kind: 'labels', width: 4, steps: 3, loss: 'binaryCrossentropy', scores: 'ties' },
  { kind: 'classes', width: 8, steps: 3, loss: 'softmaxCrossentropy', scores: 'rare' },
  { kind: 'classes', width: 3, steps: 3, loss: 'sparseSoftmaxCrossentropy', scores: 'spread' },
  { kind: 'numbers', width: 1, loss: 'meanSquaredError', scores: 'spread' },
  { kind: 'numbers', width: 3, loss: 'meanAbsoluteError', scores: 'sure' },
  { kind: 'numbers', width: 3, steps: 3, loss: 'meanSquaredError', scores: 'ties' },
];
