import type { Optimizer } from '@hookline/optimizers';
import type { World } from '../strategies/world.js';

/**
 * Before an update: an optimizer that one rank leaves out is left out by all, and the rates are those of the main rank,
 * whose hooks may have changed them at any time. Returns which are left out.
 */
export async function agreeOnMoves(
  world: World,
  step: number,
  optimizers: readonly Optimizer[],
  skipped: readonly boolean[],
): Promise<boolean[]> {
  const groups = optimizers.map(({ view }) => view.groups);
  const said = await world.exchange(`the update of step ${step + 1}`, {
    skipped: [...skipped],
    rates: world.isMain
      ? groups.map((each) => each.map(({ name: _name, ...rates }) => JSON.parse(JSON.stringify(rates))))
      : null,
  });
  if (!world.isMain) {
    for (const [index, each] of said[0]!.rates!.entries()) {
      for (const [place, rates] of each.entries()) Object.assign(groups[index]![place]!, rates);
    }
  }
  return skipped.map((_, index) => said.some((each) => each.skipped[index]));
}
