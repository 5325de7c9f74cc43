import type { HookLogger } from '@hookline/hook-api';
import type { World } from '../strategies/world.js';

/** What all ranks would say, the main rank says; the others report errors only, with their rank. */
export function rankLogger(logger: HookLogger, world: World | undefined): HookLogger {
  if (!world || world.isMain) return logger;
  const own = logger.child({ rank: world.rank });
  const quiet = (of: HookLogger): HookLogger => ({
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: of.error.bind(of),
    child: (bindings) => quiet(of.child(bindings)),
  });
  return quiet(own);
}
