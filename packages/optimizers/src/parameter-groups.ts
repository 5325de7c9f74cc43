import { is, type OptimizerGroupView, type OptionRule } from '@hookline/hook-api';
import { checkOptions } from '@hookline/hook-api/helpers';
import { matchesPath, type PathFilter } from '@hookline/layer-taps';
import { optimizerError } from './errors.js';
import type { Parameter } from './optimizer.js';
import type { OptimizerGroup } from './rule-optimizer.js';
import type { OptimizerKind, OptimizerName, OptimizerOptions } from './rules/optimizer-kinds.js';

/** Parameters with different options. Options that the group does not set are those of the optimizer. */
export type ParameterGroup<Options = OptimizerOptions[OptimizerName]> = Options & {
  /** By path; a parameter belongs to the first group that matches. */
  params: PathFilter;
  /** The name in metrics and in `state.optimizers`; by default made from the pattern. */
  name?: string;
  /** Not moved at all, not even by weight decay; no gradient is computed. */
  frozen?: boolean;
};

const GROUP_RULES: Readonly<Record<string, OptionRule>> = {
  params: () => undefined, // matchesPath reports what is wrong with a filter
  name: is.string,
  frozen: is.boolean,
};

const FOREIGN = {
  learningRate: 'Did you mean "lr"?',
  eps: 'Did you mean "epsilon"?',
  betas: 'Did you mean "beta1" and "beta2"?',
  alpha: 'Did you mean "rho"?',
  decay:
    'Did you mean "weightDecay"? For a learning rate that falls, use the option schedule of the trainer.',
  l2: 'Did you mean "weightDecay"?',
  clipnorm: 'Clipping is an option of the trainer: clip: { norm: 1 }.',
  clipvalue: 'Clipping is an option of the trainer: clip: { value: 1 }.',
  globalClipnorm: 'Clipping is an option of the trainer: clip: { globalNorm: 1 }.',
};

/** The groups that move: the declared ones that are not frozen, then one of the parameters that none of them matched. */
export function parameterGroups(
  name: OptimizerName,
  kind: OptimizerKind,
  { groups = [], ...options }: { groups?: readonly ParameterGroup[] },
  parameters: readonly Parameter[],
  given: string = name,
): OptimizerGroup[] {
  const names = checkGroups(name, kind, { groups, ...options }, given);
  if (groups.length === 0) return [createGroup(given, kind, options, parameters)];
  let left = parameters;
  const made = groups.flatMap((group, index) => {
    const place = `${label(name, given)}, group ${names[index]}`;
    const { params, name: _name, frozen = false, ...own } = group;
    const mine = left.filter(({ path }) => matchesPath(params, path));
    if (mine.length === 0) throw nothingMatched(place, params, parameters);
    left = left.filter((parameter) => !mine.includes(parameter));
    return frozen ? [] : [createGroup(names[index]!, kind, { ...options, ...own }, mine)];
  });
  return left.length === 0 ? made : [...made, createGroup(REST, kind, options, left)];
}

/** Throws where options of an optimizer make no sense for any model. Returns the names of its groups. */
export function checkGroups(
  name: OptimizerName,
  kind: OptimizerKind,
  { groups = [], ...options }: { groups?: readonly ParameterGroup[] },
  given: string = name,
): readonly string[] {
  const where = label(name, given);
  checkOptions(options, kind.options, where, FOREIGN);
  const names = groupNames(groups, where);
  for (const [index, group] of groups.entries()) {
    const place = `${where}, group ${names[index]}`;
    checkOptions(group, { ...GROUP_RULES, ...kind.options }, place, FOREIGN);
    if (group.params === undefined)
      throw optimizerError(
        'BAD_OPTIMIZER',
        `${place} has no params. Say which parameters it has: params: '**/bias'.`,
      );
  }
  return names;
}

function label(name: string, given: string): string {
  return given === name ? `Optimizer "${name}"` : `Optimizer "${given}" (${name})`;
}

/** The name of the group of all parameters that belong to no other. */
const REST = 'default';

function createGroup(
  name: string,
  kind: OptimizerKind,
  options: Pick<OptimizerGroupView, 'momentum' | 'weightDecay'> & { lr?: number },
  parameters: readonly Parameter[],
): OptimizerGroup {
  const { lr = kind.lr, momentum, weightDecay = kind.weightDecay } = options;
  const numbers: OptimizerGroupView = {
    name,
    lr,
    lrScale: 1,
    // A momentum of 0 is none: there is no velocity that another one could act on.
    ...(momentum && { momentum }),
    ...(weightDecay !== undefined && { weightDecay }),
  };
  return { numbers, rule: kind.rule(options as never), parameters };
}

/** `**\/bias` becomes `bias`; where a pattern gives no name, or one that is taken, the group gets a number. */
function groupNames(groups: readonly ParameterGroup[], where: string): string[] {
  const taken = new Set([REST]);
  for (const { name } of groups) {
    if (name === undefined) continue;
    if (taken.has(name)) {
      throw optimizerError('BAD_OPTIMIZER', `${where} has two groups named "${name}". Rename one of them.`);
    }
    taken.add(name);
  }
  return groups.map(({ name, params }, index) => {
    if (name !== undefined) return name;
    const segments = typeof params === 'string' ? params.split('/') : [];
    const plain = segments.filter((segment) => !segment.includes('*')).join('/');
    const made = plain === '' || taken.has(plain) ? `group-${index + 1}` : plain;
    taken.add(made);
    return made;
  });
}

function nothingMatched(place: string, params: PathFilter, parameters: readonly Parameter[]): Error {
  const all = parameters.map(({ path }) => path);
  const taken = all.filter((path) => matchesPath(params, path));
  const why =
    taken.length > 0
      ? `earlier groups already have everything it matches (${taken.join(', ')}). A parameter belongs to the first group that matches.`
      : `${describeFilter(params)} matches none of ${all.join(', ')}.`;
  return optimizerError('BAD_OPTIMIZER', `${place} has no parameters: ${why}`);
}

export function describeFilter(filter: PathFilter): string {
  return typeof filter === 'function' ? 'its params function' : String(filter);
}
