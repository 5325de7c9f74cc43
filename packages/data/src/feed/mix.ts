import { didYouMean } from '@hookline/hook-api';
import { checkKeys, type ForeignNames } from '@hookline/hook-api/helpers';
import { deriveSeed } from '@hookline/numerics';
import { dataError } from '../errors.js';

/** The order in which the batches of several loaders come. */
export interface MixOptions {
  /**
   * `sequential` (default): loader after loader. `roundRobin`: one batch of each in turn. `alternating`: by `pattern`.
   * `weighted`: drawn at random by `weights`; the draws follow from seed and epoch.
   */
  strategy?: MixStrategy;
  /** For `weighted`: how often each loader is drawn, relative to the others; default 1. */
  weights?: Readonly<Record<string, number>>;
  /** For `alternating`: names of loaders, repeated, such as `['real', 'real', 'synthetic']`. */
  pattern?: readonly string[];
  /**
   * What happens when it is a loader's turn and it has no more batches: `continue` (default) with the others until all
   * are done, `stop` the epoch, or `restart` the loader until the longest one is done.
   */
  whenExhausted?: 'continue' | 'stop' | 'restart';
  /** For `weighted`; by default the seed of the run. */
  seed?: number;
}

export type MixStrategy = 'sequential' | 'roundRobin' | 'weighted' | 'alternating';

/** The same, checked, with loaders by index. */
export interface Mix {
  /** The same for the same options. */
  readonly id: string;
  readonly whenExhausted: 'continue' | 'stop' | 'restart';
  /** Whether an epoch's turns depend on its number. */
  readonly isRandom: boolean;
  /** Set when the options give one. */
  readonly seed: number | undefined;
  /** Whose turn it is. At least one loader is `open`; a loader that is not open loses its turn. */
  pick(turn: Turn): number;
}

export interface Turn {
  /** Counts from 0 in each epoch. */
  number: number;
  /** Which loaders still have batches. */
  open: readonly boolean[];
  /** Follows from the mix and the epoch. */
  seed: number;
}

export const SEQUENTIAL: Mix = {
  id: 'sequential',
  whenExhausted: 'continue',
  isRandom: false,
  seed: undefined,
  pick: ({ open }) => open.indexOf(true),
};

const STRATEGIES = ['sequential', 'roundRobin', 'weighted', 'alternating'] as const;
const POLICIES = ['continue', 'stop', 'restart'] as const;

/** What people write who know Lightning's CombinedLoader or tf.data. */
const FOREIGN: ForeignNames = {
  mode: 'Did you mean "strategy" or "whenExhausted"?',
  stopOnEmptyDataset: 'Did you mean "whenExhausted"?',
  probabilities: 'Did you mean "weights"?',
};

export function mixOf(names: readonly string[], options: MixOptions): Mix {
  checkKeys(options, ['strategy', 'weights', 'pattern', 'whenExhausted', 'seed'], 'combine()', FOREIGN);
  const { strategy = 'sequential', weights, pattern, whenExhausted = 'continue', seed } = options;
  checkChoice('strategy', strategy, STRATEGIES);
  checkChoice('whenExhausted', whenExhausted, POLICIES);
  only('weights', weights, strategy, 'weighted');
  only('pattern', pattern, strategy, 'alternating');
  const id = JSON.stringify([strategy, whenExhausted, weights ?? pattern ?? null, seed ?? null]);
  const shared = { id, whenExhausted, isRandom: strategy === 'weighted', seed };
  if (strategy === 'weighted') return { ...shared, pick: byWeight(weightsOf(names, weights ?? {})) };
  if (strategy === 'alternating') return { ...shared, pick: inTurn(patternOf(names, pattern)) };
  if (strategy === 'roundRobin') return { ...shared, pick: inTurn(names.map((_, index) => index)) };
  if (options.whenExhausted === undefined) return SEQUENTIAL;
  throw dataError(
    'BAD_OPTIONS',
    'combine(): whenExhausted applies to the other strategies: "sequential" moves to the next loader when one is done.',
  );
}

function inTurn(cycle: readonly number[]): Mix['pick'] {
  return ({ number }) => cycle[number % cycle.length]!;
}

/** Each turn's draw follows from its number, so there is no state to save. */
function byWeight(weights: readonly number[]): Mix['pick'] {
  return ({ number, open, seed }) => {
    const left = weights.map((weight, index) => (open[index] ? weight : 0));
    const total = left.reduce((sum, weight) => sum + weight, 0);
    let at = (deriveSeed(seed, number) / 2 ** 32) * total;
    const index = left.findIndex((weight) => {
      at -= weight;
      return weight > 0 && at < 0;
    });
    return index < 0 ? open.lastIndexOf(true) : index;
  };
}

function weightsOf(names: readonly string[], weights: Readonly<Record<string, number>>): number[] {
  for (const [name, weight] of Object.entries(weights)) {
    checkName('weights', name, names);
    if (Number.isFinite(weight) && weight > 0) continue;
    throw dataError(
      'BAD_OPTIONS',
      `combine(): the weight of "${name}" is ${weight}, expected a number above 0.`,
    );
  }
  return names.map((name) => weights[name] ?? 1);
}

function patternOf(names: readonly string[], pattern: readonly string[] | undefined): number[] {
  const unused = names.filter((name) => !pattern?.includes(name));
  if (!Array.isArray(pattern) || unused.length > 0) {
    throw dataError(
      'BAD_OPTIONS',
      `combine(): "alternating" needs a pattern that names every loader${pattern ? `; it lacks ${unused.join(', ')}` : ''}. For example: pattern: [${names.map((name) => `'${name}'`).join(', ')}].`,
    );
  }
  return pattern.map((name) => {
    checkName('pattern', name, names);
    return names.indexOf(name);
  });
}

function checkName(option: string, name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  throw dataError(
    'BAD_OPTIONS',
    `combine(): ${option} names "${name}", which is not a loader.${didYouMean(name, names)} Loaders: ${names.join(', ')}.`,
  );
}

function checkChoice(option: string, value: string, choices: readonly string[]): void {
  if (choices.includes(value)) return;
  throw dataError(
    'BAD_OPTIONS',
    `combine(): ${option} is "${value}".${didYouMean(String(value), choices)} Expected one of: ${choices.join(', ')}.`,
  );
}

function only(option: string, value: unknown, strategy: string, expected: MixStrategy): void {
  if (value === undefined || strategy === expected) return;
  throw dataError(
    'BAD_OPTIONS',
    `combine(): ${option} applies to the strategy "${expected}", but the strategy is "${strategy}".`,
  );
}
