import type { HookLogger } from '@hookline/hook-api';
import { environment } from '#host';
import { launchedBy } from './launcher.js';
import type { StrategyOption } from './strategy.js';
import type { World } from './world.js';

/** The ranks that train together; undefined where this process trains alone. */
export async function joinWorld(
  option: StrategyOption,
  root: string,
  logger: HookLogger,
): Promise<World | undefined> {
  if (option === 'simple') {
    const launcher = launchedBy(environment());
    if (launcher) {
      logger.warn(
        `${launcher.name} has started ${launcher.ranks} processes, and each of them trains by itself: strategy is "simple". To train one model together, set strategy: "accelerate".`,
      );
    }
    return undefined;
  }
  // Loaded for those who ask for it: a page never does.
  const { accelerate } = await import('./accelerate.js');
  return accelerate(option, root, logger);
}
