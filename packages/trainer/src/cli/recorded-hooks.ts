import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageLabel } from '@hookline/hook-discovery';
import { printable, printableJson } from '#host';
import { trainerError } from '../errors.js';
import type { StoredHook } from '../run/record/run-record-file.js';
import { type HookRow, hookTable } from './hook-table.js';

/** The hooks that a run had, from its record, in the order in which they ran. */
export function reportOfRun(folder: string, asJson: boolean): string {
  const hooks = hooksOf(folder);
  if (asJson) return printableJson({ run: folder, hooks });
  const table = hooks.length > 0 ? hookTable(hooks.map(rowOf)) : ['  none'];
  const order = hooks.filter(({ enabled }) => enabled).map(({ name }) => name);
  return [
    `Hooks of the run in ${folder}`,
    '',
    ...table,
    '',
    `Order: ${printable(order).join(', ') || 'nothing ran'}`,
    '',
  ].join('\n');
}

function hooksOf(folder: string): StoredHook[] {
  let record: { hooks?: unknown };
  try {
    record = Object(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')));
  } catch (cause) {
    throw trainerError(
      'CLI_USAGE',
      `${folder} has no run.json that can be read. Expected the folder of a run, such as runs/<id>.`,
      cause,
    );
  }
  const hooks: unknown[] = Array.isArray(record.hooks) ? record.hooks : [];
  return hooks.filter((hook): hook is StoredHook => typeof Object(hook).name === 'string');
}

function rowOf(hook: StoredHook): HookRow {
  const { name, instanceOf, package: from, version = '', enabled, reason } = hook;
  const notes = instanceOf === undefined ? [] : [`an instance of ${instanceOf}`];
  return {
    name,
    from: from === undefined ? 'your code' : packageLabel({ name: from, version }),
    status: enabled ? 'on' : 'off',
    kinds: [],
    notes: reason ? [...notes, reason] : notes,
  };
}
