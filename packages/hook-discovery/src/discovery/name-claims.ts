import { builtInOwner } from '../built-in-packages.js';
import type { DiscoveredPackage } from './discovery.js';

/**
 * Gives each hook name to one package: built-in names to their own, every other to the first that claims it.
 * A package that claims a name it cannot have is rejected.
 */
export function claimNames(packages: readonly DiscoveredPackage[]): void {
  const owners = new Map<string, string>();
  for (const plugin of packages.filter(({ status }) => status === 'found')) {
    for (const { name } of plugin.hooks) {
      const owner = builtInOwner(name) ?? owners.get(name) ?? plugin.name;
      if (owner === plugin.name) continue;
      plugin.status = 'rejected';
      plugin.reasons.push(
        `${plugin.name} claims the hook name "${name}", which belongs to ${owner}. ` +
          `Leave one of them out with discover: { exclude: ["${plugin.name}"] }.`,
      );
    }
    // Only now: a rejected package owns no name.
    if (plugin.status === 'found') for (const { name } of plugin.hooks) owners.set(name, plugin.name);
  }
}
