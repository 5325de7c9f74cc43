import { is, type OptimizerGroupView, type OptionRule } from '@hookline/hook-api';
import { checkOptions } from '@hookline/hook-api/helpers';
import { matchesPath, type PathFilter } from '@hookline/layer-taps';
import { optimizerError } from './errors.js';
import type { Parameter } from './optimizer.js';
import type { OptimizerGroup } from './rule-optimizer.js';
import type { OptimizerKind, OptimizerName, OptimizerOptions } from './rules/optimizer-kinds.js';

/** Parameters with options of their own: what it does not say is as the optimizer has it. */
export type ParameterGroup<Options = OptimizerOptions[OptimizerName]> = Options & {
  /** By path; the first group that matches a parameter has it. */
  params: PathFilter;
  /** In metrics and in `state.optimizers`; made of the pattern when absent. */
  name?: string;
  /** Not moved at all, not even by weight decay; no gradient is computed. */
  frozen?: boolean;
};

const GROUP_RULES: Readonly<Record<string, OptionRule>> = {
  params: () => undefined, // the filter says itself what is wrong with it
  name: is.string,
  frozen: is.boolean,
};

/** The groups that move: those that are declared and not frozen, then the parameters that none of them matched. */
export function parameterGroups(
  name: OptimizerName,
  kind: OptimizerKind,
  { groups = [], ...options }: { groups?: readonly ParameterGroup[] },
  parameters: readonly Parameter[],
): OptimizerGroup[] {
  const where = `Optimizer "${name}"`;
  checkOptions(options, kind.options, where);
  if (groups.length === 0) return [createGroup(name, kind, options, parameters)];
  const names = groupNames(groups, where);
  let left = parameters;
  const made = groups.flatMap((group, index) => {
    const place = `${where}, group ${names[index]}`;
    checkOptions(group, { ...GROUP_RULES, ...kind.options }, place);
    const { params, name: _name, frozen = false, ...own } = group;
    if (params === undefined)
      throw optimizerError('BAD_OPTIMIZER', `${place} needs params: which are its own?`);
    const mine = left.filter(({ path }) => matchesPath(params, path));
    if (mine.length === 0) throw nothingMatched(place, params, parameters);
    left = left.filter((parameter) => !mine.includes(parameter));
    return frozen ? [] : [createGroup(names[index]!, kind, { ...options, ...own }, mine)];
  });
  return left.length === 0 ? made : [...made, createGroup(REST, kind, options, left)];
}

/** The name of the group of all parameters that are in no other. */
const REST = 'default';

function createGroup(
  name: string,
  kind: OptimizerKind,
  options: Pick<OptimizerGroupView, 'momentum' | 'weightDecay'> & { lr?: number },
  parameters: readonly Parameter[],
): OptimizerGroup {
  const { lr = kind.lr, momentum, weightDecay = kind.weightDecay } = options;
  const view: OptimizerGroupView = {
    name,
    lr,
    lrScale: 1,
    ...(momentum !== undefined && { momentum }),
    ...(weightDecay !== undefined && { weightDecay }),
  };
  return { view, rule: kind.rule(options as never), parameters };
}

/** `**\/bias` is called bias; where the pattern makes no name, or one that is taken, the group has a number. */
function groupNames(groups: readonly ParameterGroup[], where: string): string[] {
  const taken = new Set([REST]);
  for (const { name } of groups) {
    if (name === undefined) continue;
    if (taken.has(name)) {
      throw optimizerError(
        'BAD_OPTIMIZER',
        `${where} has two groups named "${name}". Give each its own name.`,
      );
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
      ? `groups before it have all it matches (${taken.join(', ')}); the first match counts.`
      : `${describeFilter(params)} matches none of ${all.join(', ')}.`;
  return optimizerError('BAD_OPTIMIZER', `${place} has no parameter: ${why}`);
}

export function describeFilter(filter: PathFilter): string {
  return typeof filter === 'function' ? 'its params function' : String(filter);
}
