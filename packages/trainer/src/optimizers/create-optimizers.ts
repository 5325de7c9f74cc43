import { didYouMean } from '@hookline/hook-api';
import { matchesPath, type PathFilter } from '@hookline/layer-taps';
import type * as tf from '@tensorflow/tfjs-core';
import { checkKeys, trainerError } from '../errors.js';
import type { Parameter } from '../model/trainable.js';
import { type AdamOptions, adam, adamw } from './adam.js';
import { type Optimizer, RuleOptimizer } from './optimizer.js';
import { type SgdOptions, sgd } from './sgd.js';
import { TfjsOptimizer } from './tfjs-optimizer.js';
import type { UpdateRule } from './update-rule.js';

interface Shared {
  /** The parameters it moves, by path; all that no other optimizer claims when absent. */
  params?: PathFilter;
}

export type OptimizerSpec =
  | OptimizerName
  | ({ name: 'sgd' } & SgdOptions & Shared)
  | ({ name: 'adam' } & AdamOptions & Shared)
  | ({ name: 'adamw' } & AdamOptions & Shared)
  | tf.Optimizer;

export type OptimizerName = 'sgd' | 'adam' | 'adamw';

/** One optimizer, or several over disjoint sets of parameters. */
export type OptimizerOption = OptimizerSpec | readonly OptimizerSpec[];

interface Kind {
  rule(options: never): UpdateRule;
  lr: number;
  weightDecay?: number;
  options: readonly string[];
}

const ADAM_OPTIONS = ['lr', 'beta1', 'beta2', 'epsilon', 'weightDecay'];

const KINDS: Record<OptimizerName, Kind> = {
  sgd: { rule: sgd, lr: 0.01, options: ['lr', 'momentum', 'nesterov', 'weightDecay'] },
  adam: { rule: adam, lr: 0.001, options: ADAM_OPTIONS },
  adamw: { rule: adamw, lr: 0.001, weightDecay: 0.01, options: ADAM_OPTIONS },
};

export function createOptimizers(option: OptimizerOption, parameters: readonly Parameter[]): Optimizer[] {
  const specs = (Array.isArray(option) ? option : [option]) as readonly OptimizerSpec[];
  const owners = new Map<string, number>();
  for (const [index, spec] of specs.entries()) {
    const filter = filterOf(spec);
    if (filter === undefined) continue;
    const mine = parameters.filter(({ path }) => matchesPath(filter, path));
    if (mine.length === 0) {
      throw trainerError(
        'BAD_OPTIMIZER',
        `Optimizer ${index} claims no parameter: ${describe(filter)} matches none of ${list(parameters)}.`,
      );
    }
    for (const { path } of mine) {
      if (owners.has(path)) {
        throw trainerError(
          'BAD_OPTIMIZER',
          `Optimizers ${owners.get(path)} and ${index} both claim "${path}". Make their params disjoint.`,
        );
      }
      owners.set(path, index);
    }
  }
  const [rest = -1, second] = [...specs.keys()].filter((index) => filterOf(specs[index]!) === undefined);
  if (second !== undefined) {
    throw trainerError(
      'BAD_OPTIMIZER',
      `Optimizers ${rest} and ${second} both claim every parameter that is left. Give one of them params.`,
    );
  }
  const unclaimed = parameters.filter(({ path }) => !owners.has(path));
  for (const { path } of unclaimed) owners.set(path, rest);
  return specs.map((spec, index) =>
    create(
      spec,
      parameters.filter(({ path }) => owners.get(path) === index),
    ),
  );
}

function create(spec: OptimizerSpec, parameters: readonly Parameter[]): Optimizer {
  if (isTfjsOptimizer(spec)) return new TfjsOptimizer(spec, parameters);
  const { name, params: _params, ...options } = typeof spec === 'string' ? { name: spec } : spec;
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (!kind) {
    const names = Object.keys(KINDS);
    throw trainerError(
      'BAD_OPTIMIZER',
      `There is no optimizer "${String(name)}".${didYouMean(String(name), names)} Known optimizers: ${names.join(', ')}; an optimizer of tf.train will do too.`,
    );
  }
  checkKeys(options, kind.options, `Optimizer "${name}"`);
  const rule = kind.rule(options as never);
  const { lr = kind.lr, momentum, weightDecay = kind.weightDecay } = options as SgdOptions;
  return new RuleOptimizer(rule, parameters, {
    name,
    lr,
    lrScale: 1,
    ...(momentum !== undefined && { momentum }),
    ...(weightDecay !== undefined && { weightDecay }),
  });
}

function isTfjsOptimizer(spec: OptimizerSpec): spec is tf.Optimizer {
  return typeof spec === 'object' && 'applyGradients' in spec;
}

function filterOf(spec: OptimizerSpec): PathFilter | undefined {
  return typeof spec === 'object' && 'params' in spec ? spec.params : undefined;
}

function describe(filter: PathFilter): string {
  return typeof filter === 'function' ? 'its params function' : String(filter);
}

function list(parameters: readonly Parameter[]): string {
  return parameters.map(({ path }) => path).join(', ');
}
