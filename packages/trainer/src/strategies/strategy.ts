import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { didYouMean, type Gradients } from '@hookline/hook-api';
import { trainerError } from '../errors.js';

/** How gradients become one step when several processes train together. */
export interface Strategy {
  readonly name: string;
  /** Once per run, before the first batch. */
  setup?(): void | Promise<void>;
  /** Replaces this process's gradients by those of all; the result is the trainer's, as with `transformGradients`. */
  combine(gradients: Gradients): Gradients | undefined | Promise<Gradients | undefined>;
  teardown?(): void | Promise<void>;
}

/** `simple` trains in this process; `accelerate` comes from `@hookline/accelerate-mpi`. */
export type StrategyOption = 'simple' | 'accelerate' | Strategy;

const ACCELERATE = '@hookline/accelerate-mpi';

/** Throws when the option is neither a name nor a strategy. */
export function checkStrategy(option: StrategyOption = 'simple'): void {
  if (option === 'simple' || option === 'accelerate') return;
  if (typeof (Object(option) as Partial<Strategy>).combine === 'function') return;
  const given = typeof option === 'string' ? `"${option}"` : typeof option;
  throw trainerError(
    'BAD_OPTIONS',
    `new Trainer(): strategy is ${given}.${didYouMean(String(option), ['simple', 'accelerate'])} Expected "simple", "accelerate" or an object with combine().`,
  );
}

/** The strategy, or undefined for training in this process alone. */
export async function loadStrategy(option: StrategyOption, root: string): Promise<Strategy | undefined> {
  if (option === 'simple') return undefined;
  if (typeof option === 'object') return option;
  let file: string;
  try {
    file = createRequire(join(root, 'package.json')).resolve(ACCELERATE);
  } catch (error) {
    throw trainerError(
      'STRATEGY_MISSING',
      `The strategy "accelerate" needs ${ACCELERATE}, which is not installed in this project. Train with strategy: "simple", or pass a strategy object with combine().`,
      error,
    );
  }
  const { strategy } = (await import(pathToFileURL(file).href)) as { strategy: () => Strategy };
  return strategy();
}
