import type { World } from '../strategies/world.js';
import type { Ending } from './ending.js';
import type { Wishes } from './wishes.js';

interface Wishing {
  readonly world: World | undefined;
  readonly ending: Ending;
  readonly wishes: Wishes;
  readonly state: { readonly step: number; readonly epoch: number };
}

/**
 * Ranks that train together decide together: what one of them wants, they all do at the same place. The loop calls it
 * wherever it acts on wishes. Alone there is nobody to ask.
 */
export async function agree(run: Wishing): Promise<void> {
  const { world, ending, wishes, state } = run;
  if (!world) return;
  const said = await world.exchange(`the boundary of step ${state.step} in epoch ${state.epoch + 1}`, {
    stop: ending.wish ?? null,
    validation: wishes.validation,
    checkpoints: [...wishes.checkpoints],
  });
  const stop = said.find((each) => each.stop !== null);
  if (stop) ending.stopNow(stop.stop!);
  wishes.validation = said.some(({ validation }) => validation);
  // The main rank saves for all.
  wishes.checkpoints.clear();
  if (!world.isMain) return;
  for (const reason of said.flatMap(({ checkpoints }) => checkpoints)) wishes.checkpoints.add(reason);
}
