import { is, type OptionRule } from '@hookline/hook-api';
import { belowOne, notNegative, positive } from '@hookline/hook-api/helpers';
import { type AdadeltaOptions, adadelta } from './adadelta.js';
import { type AdagradOptions, adagrad } from './adagrad.js';
import { type AdamOptions, adam, adamw } from './adam.js';
import { type LionOptions, lion } from './lion.js';
import { type RmspropOptions, rmsprop } from './rmsprop.js';
import { type SgdOptions, sgd } from './sgd.js';
import type { UpdateRule } from './update-rule.js';

/** The options of every optimizer that has a name. */
export interface OptimizerOptions {
  sgd: SgdOptions;
  adam: AdamOptions;
  adamw: AdamOptions;
  rmsprop: RmspropOptions;
  adagrad: AdagradOptions;
  adadelta: AdadeltaOptions;
  lion: LionOptions;
}

export type OptimizerName = keyof OptimizerOptions;

export interface OptimizerKind {
  rule(options: never): UpdateRule;
  /** The default learning rate. */
  lr: number;
  weightDecay?: number;
  options: Readonly<Record<string, OptionRule>>;
}

/** A kind that checks each of its options. */
type KindWith<Options> = OptimizerKind & {
  options: { readonly [Name in keyof Required<Options>]: OptionRule };
};

const SHARED = { lr: notNegative, weightDecay: notNegative };

const ADAM = { ...SHARED, beta1: belowOne, beta2: belowOne, epsilon: positive };

export const OPTIMIZER_KINDS: { readonly [Name in OptimizerName]: KindWith<OptimizerOptions[Name]> } = {
  sgd: { rule: sgd, lr: 0.01, options: { ...SHARED, momentum: belowOne, nesterov: is.boolean } },
  adam: { rule: adam, lr: 0.001, options: ADAM },
  adamw: { rule: adamw, lr: 0.001, weightDecay: 0.01, options: ADAM },
  rmsprop: {
    rule: rmsprop,
    lr: 0.01,
    options: { ...SHARED, rho: belowOne, epsilon: positive, momentum: belowOne, centered: is.boolean },
  },
  adagrad: {
    rule: adagrad,
    lr: 0.01,
    options: { ...SHARED, initialAccumulator: notNegative, epsilon: positive },
  },
  adadelta: { rule: adadelta, lr: 1, options: { ...SHARED, rho: belowOne, epsilon: positive } },
  lion: { rule: lion, lr: 0.0001, options: { ...SHARED, beta1: belowOne, beta2: belowOne } },
};
