import { didYouMean } from '@hookline/hook-api';
import { matchesPath, type PathFilter } from '@hookline/layer-taps';
import type * as tf from '@tensorflow/tfjs-core';
import { optimizerError } from './errors.js';
import type { Optimizer, Parameter } from './optimizer.js';
import { checkGroups, describeFilter, type ParameterGroup, parameterGroups } from './parameter-groups.js';
import { RuleOptimizer } from './rule-optimizer.js';
import { OPTIMIZER_KINDS, type OptimizerName, type OptimizerOptions } from './rules/optimizer-kinds.js';
import { TfjsOptimizer } from './tfjs-optimizer.js';

export type OptimizerSpec = OptimizerName | NamedOptimizer | tf.Optimizer;

/** One optimizer, or several over disjoint sets of parameters: in a list, or each with a name of your own. */
export type OptimizerOption =
  | OptimizerSpec
  | readonly OptimizerSpec[]
  | { readonly [name: string]: OptimizerSpec };

/** `{ name: 'adamw', lr: 0.001, groups: [...] }`, with the options of the optimizer of that name. */
type NamedOptimizer = {
  [Name in OptimizerName]: {
    name: Name;
    /** The parameters it moves, by path; by default all that no other optimizer claims. */
    params?: PathFilter;
    /** Parameters with different options; a parameter belongs to the first group that matches. */
    groups?: readonly ParameterGroup<OptimizerOptions[Name]>[];
  } & OptimizerOptions[Name];
}[OptimizerName];

/**
 * One optimizer for each spec of the option. Every parameter in `learning` (by default all of them) must belong to
 * exactly one; those that do not learn may be left over.
 */
export function createOptimizers(
  option: OptimizerOption,
  parameters: readonly Parameter[],
  learning: readonly Parameter[] = parameters,
): Optimizer[] {
  const named = specsOf(option);
  const specs = named.map(([, spec]) => spec);
  // By the name that the user gave, or else by its place.
  const called = (index: number) => (named[index]![0] === undefined ? `${index}` : `"${named[index]![0]}"`);
  const owners = new Map<string, number>();
  for (const [index, spec] of specs.entries()) {
    const filter = filterOf(spec);
    if (filter === undefined) continue;
    const mine = parameters.filter(({ path }) => matchesPath(filter, path));
    if (mine.length === 0) {
      throw optimizerError(
        'BAD_OPTIMIZER',
        `Optimizer ${called(index)} has no parameters: ${describeFilter(filter)} matches none of ${list(parameters)}.`,
      );
    }
    for (const { path } of mine) {
      if (owners.has(path)) {
        throw optimizerError(
          'BAD_OPTIMIZER',
          `Optimizers ${called(owners.get(path)!)} and ${called(index)} both claim "${path}". Change their params so that each parameter matches only one.`,
        );
      }
      owners.set(path, index);
    }
  }
  const [rest = -1, second] = [...specs.keys()].filter((index) => filterOf(specs[index]!) === undefined);
  if (second !== undefined) {
    throw optimizerError(
      'BAD_OPTIMIZER',
      `Optimizers ${called(rest)} and ${called(second)} both claim all remaining parameters. Give one of them params.`,
    );
  }
  const unclaimed = parameters.filter(({ path }) => !owners.has(path));
  const forgotten = unclaimed.filter((parameter) => learning.includes(parameter));
  if (rest < 0 && forgotten.length > 0) {
    throw optimizerError(
      'BAD_OPTIMIZER',
      `No optimizer claims ${list(forgotten)}. Add an optimizer without params, which takes all that remain, or freeze them: groups: [{ params: '${forgotten[0]!.path}', frozen: true }].`,
    );
  }
  for (const { path } of unclaimed) owners.set(path, rest);
  return named.map(([name, spec], index) =>
    create(
      spec,
      parameters.filter(({ path }) => owners.get(path) === index),
      name,
    ),
  );
}

/** Throws where the option makes no sense for any model: a name that is not known, a value that is wrong. */
export function checkOptimizers(option: OptimizerOption): void {
  for (const [given, spec] of specsOf(option)) {
    if (isTfjsOptimizer(spec)) continue;
    const { name, kind, options } = kindOf(spec);
    checkGroups(name, kind, options, given);
  }
}

/** The optimizers of the option, with the names that the user gave them. */
function specsOf(option: OptimizerOption): readonly [name: string | undefined, spec: OptimizerSpec][] {
  if (Array.isArray(option)) return option.map((spec: OptimizerSpec) => [undefined, spec]);
  const isOne =
    typeof option !== 'object' ||
    isTfjsOptimizer(option) ||
    typeof (option as NamedOptimizer).name === 'string';
  return isOne
    ? [[undefined, option as OptimizerSpec]]
    : Object.entries(option as Record<string, OptimizerSpec>);
}

function create(spec: OptimizerSpec, parameters: readonly Parameter[], given: string | undefined): Optimizer {
  if (isTfjsOptimizer(spec)) return new TfjsOptimizer(spec, parameters, given);
  const { name, kind, options } = kindOf(spec);
  return new RuleOptimizer(given ?? name, parameterGroups(name, kind, options, parameters, given));
}

function kindOf(spec: OptimizerName | NamedOptimizer) {
  const { name, params: _params, ...options } = typeof spec === 'string' ? { name: spec } : spec;
  const kind = Object.hasOwn(OPTIMIZER_KINDS, name) ? OPTIMIZER_KINDS[name] : undefined;
  if (kind) return { name, kind, options };
  const names = Object.keys(OPTIMIZER_KINDS);
  throw optimizerError(
    'BAD_OPTIMIZER',
    `There is no optimizer "${String(name)}".${didYouMean(String(name), names)} Known optimizers: ${names.join(', ')}; or pass an optimizer of tf.train.`,
  );
}

function isTfjsOptimizer(spec: object | string): spec is tf.Optimizer {
  return typeof spec === 'object' && 'applyGradients' in spec;
}

function filterOf(spec: OptimizerSpec): PathFilter | undefined {
  return typeof spec === 'object' && 'params' in spec ? spec.params : undefined;
}

function list(parameters: readonly Parameter[]): string {
  return parameters.map(({ path }) => path).join(', ');
}
