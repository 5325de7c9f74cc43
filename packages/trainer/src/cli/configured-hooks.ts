import { messageOf } from '@hookline/hook-api/helpers';
import { HookRegistry, type HooksOption, packageLabel, type RegistryEntry } from '@hookline/hook-discovery';
import { shortPath } from '#host';
import { hooksFrom } from '../config/file-reference.js';
import { configAbove } from '../config/find-config.js';
import { readConfig } from '../config/read-config.js';
import type { InstalledRow } from './installed-hooks.js';

/** The list of hooks as a run with the project's config would have it. */
export interface ConfiguredHooks {
  readonly rows: readonly InstalledRow[];
  /** The names of those that run, in their order. */
  readonly order: readonly string[];
  /** The config file, or why it is not taken into account. */
  readonly note: string;
}

/** What the config of a project makes of the hooks that are installed; undefined where it has none. */
export async function configuredHooks(
  root: string,
  rows: readonly InstalledRow[],
): Promise<ConfiguredHooks | undefined> {
  const file = await configAbove(root);
  if (file === undefined) return undefined;
  try {
    const { hooks = {}, discover = true } = (await readConfig(file)) as {
      hooks?: unknown;
      discover?: boolean;
    };
    const chosen = hooksFrom(hooks, file, root) as HooksOption;
    const entries = new HookRegistry({ root, discover, hooks: chosen }).entries();
    const unusable = rows.filter(({ status }) => status === 'broken' || status === 'rejected');
    const isOn = ({ name, enabled }: RegistryEntry) => enabled && !unusable.some((row) => row.name === name);
    return {
      rows: [
        ...unusable,
        ...entries
          .filter(({ name }) => !unusable.some((row) => row.name === name))
          .map((entry) => rowOf(entry, rows)),
      ],
      order: entries.filter(isOn).map(({ name }) => name),
      note: `With the settings of ${shortPath(file)}; --no-config leaves it out.`,
    };
  } catch (error) {
    const order = rows.filter(({ status }) => status === 'on').map(({ name }) => name);
    return { rows, order, note: `Without the settings of ${shortPath(file)}: ${messageOf(error)}` };
  }
}

function rowOf(entry: RegistryEntry, rows: readonly InstalledRow[]): InstalledRow {
  const { name, instanceOf, enabled, reason, kinds, file, package: from, version = '' } = entry;
  const installed = rows.find((row) => row.name === name);
  const notes = enabled ? [] : installed?.status === 'off' ? installed.notes : [reason];
  const place =
    from === undefined ? ((file && shortPath(file)) ?? 'your code') : packageLabel({ name: from, version });
  return {
    name,
    from: place,
    status: enabled ? 'on' : 'off',
    kinds,
    notes: instanceOf === undefined ? notes : [`an instance of ${instanceOf}`, ...notes],
    source: 'plugin',
  };
}
