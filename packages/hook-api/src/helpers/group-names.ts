import type { OptimizerView } from '../optimizer-view.js';

/**
 * A name for each group of each optimizer: `adam`; `adam/encoder` when the optimizer has several groups. The first
 * of several optimizers, or groups, of one name keeps it, so that adding another renames no series: `adam`, `adam-1`.
 */
export function groupNames(optimizers: readonly OptimizerView[]): string[][] {
  const optimizerNames = distinct(optimizers.map(({ name }) => name));
  return optimizers.map(({ groups }, index) => {
    const optimizer = optimizerNames[index]!;
    if (groups.length === 1) return [optimizer];
    return distinct(groups.map(({ name }) => name)).map((group) => `${optimizer}/${group}`);
  });
}

function distinct(names: readonly string[]): string[] {
  const given = new Set(names);
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    // Past names that another one really has.
    for (let n = 1; taken.has(free) || (free !== name && given.has(free)); n++) free = `${name}-${n}`;
    taken.add(free);
    return free;
  });
}
