import { type HookKind, type HookSource, kindsOf } from '@hookline/hook-api';
import { fileOf, packageOf, type RegistryItem } from './registry-item.js';

/** What the registry says about one hook. */
export interface RegistryEntry {
  /** Before the hook is loaded, a class, a factory or a file goes by its own name. */
  name: string;
  /** The installed hook that this is an instance of, when it runs under another name. */
  instanceOf: string | undefined;
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
  /** What the hook does. Before it is loaded, what its manifest says; empty when that says nothing. */
  kinds: readonly HookKind[];
  options: object | undefined;
}

export function entryOf(item: RegistryItem): RegistryEntry {
  const plugin = packageOf(item);
  return {
    name: item.name,
    instanceOf: item.slot,
    source: item.source,
    package: plugin?.name,
    version: plugin?.version,
    file: fileOf(item),
    enabled: isOn(item),
    status: statusOf(item),
    reason: item.replaced ? 'Replaced by your hook of the same name.' : item.reason,
    kinds: knownKinds(item),
    options: item.options,
  };
}

/** Whether the hook runs, or will once it is loaded. */
export function isOn({ enabled, replaced, origin }: RegistryItem): boolean {
  return enabled && !replaced && origin.from !== 'barred';
}

function statusOf({ enabled, replaced, origin, hook }: RegistryItem): RegistryEntry['status'] {
  if (!enabled || replaced) return 'disabled';
  if (origin.from === 'barred') return 'rejected';
  return hook ? 'loaded' : 'found';
}

function knownKinds({ hook, origin }: RegistryItem): readonly HookKind[] {
  if (hook) return kindsOf(hook);
  return (origin.from === 'plugin' && origin.hook.kinds) || [];
}
