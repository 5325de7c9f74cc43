import type { OptimizerView } from '@hookline/hook-api';

/**
 * The rates in effect, by optimizer, or by optimizer and group when it has several. Of several with one name the
 * first keeps it: `adam`, `adam-1`.
 */
export function learningRates(optimizers: readonly OptimizerView[]): Record<string, number> {
  const rates: Record<string, number> = {};
  const names = distinct(optimizers.map(({ name }) => name));
  for (const [index, { groups }] of optimizers.entries()) {
    const groupNames = distinct(groups.map(({ name }) => name));
    for (const [groupIndex, { lr, lrScale }] of groups.entries()) {
      const name = names[index]!;
      rates[groups.length === 1 ? name : `${name}/${groupNames[groupIndex]}`] = lr * lrScale;
    }
  }
  return rates;
}

function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let n = 1; taken.has(free) || (free !== name && names.includes(free)); n++) free = `${name}-${n}`;
    taken.add(free);
    return free;
  });
}
