import { type HookKind, type HookSource, kindsOf } from '@hookline/hook-api';
import { fileOf, packageOf, type Slot } from './slot.js';

/** What the registry knows of one hook. */
export interface RegistryEntry {
  /** Before the hook is loaded, a class, a factory or a file goes by its own name. */
  name: string;
  /** Where its place comes from: `code` from the list it was passed in, `plugin` from package.json. */
  source: HookSource;
  package: string | undefined;
  version: string | undefined;
  file: string | undefined;
  enabled: boolean;
  /** `found`: on, not loaded yet. */
  status: 'found' | 'loaded' | 'disabled' | 'rejected';
  /** Why it is disabled or rejected; empty otherwise. */
  reason: string;
  /** Empty until it is loaded. */
  kinds: readonly HookKind[];
  options: object | undefined;
}

export function entryOf(slot: Slot): RegistryEntry {
  const plugin = packageOf(slot);
  return {
    name: slot.name,
    source: slot.source,
    package: plugin?.name,
    version: plugin?.version,
    file: fileOf(slot),
    enabled: slot.enabled && !slot.replaced && slot.origin.from !== 'barred',
    status: statusOf(slot),
    reason: slot.replaced ? 'Replaced by your hook of the same name.' : slot.reason,
    kinds: slot.hook ? kindsOf(slot.hook) : [],
    options: slot.options,
  };
}

function statusOf({ enabled, replaced, origin, hook }: Slot): RegistryEntry['status'] {
  if (!enabled || replaced) return 'disabled';
  if (origin.from === 'barred') return 'rejected';
  return hook ? 'loaded' : 'found';
}
