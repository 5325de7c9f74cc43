import type { HookLogger } from '@hookline/hook-api';
import { type HookRegistry, lookedFrom } from '@hookline/hook-discovery';

/** Says what discovery found odd: no hooks at all, warnings of packages, dependencies that are not installed. */
export function reportDiscovery({ discovery, root }: HookRegistry, logger: HookLogger): void {
  const { packages = [], notInstalled = [] } = discovery ?? {};
  if (discovery && packages.length === 0) {
    logger.info(`No installed hooks in the dependencies of ${root}${lookedFrom(discovery)}.`);
  }
  for (const { name, warnings } of packages) {
    for (const warning of warnings) logger.warn(`${name}: ${warning}`);
  }
  if (notInstalled.length > 0) {
    logger.warn(`Not installed, though package.json names them: ${notInstalled.join(', ')}.`);
  }
}
