import type { HookLogger } from '@hookline/hook-api';
import type { StrategyOption } from './strategy.js';
import type { World } from './world.js';

/** The ranks that train together; undefined where this process trains alone. */
export async function joinWorld(
  option: StrategyOption,
  root: string,
  logger: HookLogger,
): Promise<World | undefined> {
  if (option === 'simple') return undefined;
  // Loaded for those who ask for it: a page never does.
  const { accelerate } = await import('./accelerate.js');
  return accelerate(option, root, logger);
}
