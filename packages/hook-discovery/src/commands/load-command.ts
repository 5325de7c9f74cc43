import { join } from 'node:path';
import type { Command } from '@hookline/hook-api/helpers';
import { importExport, realFile } from '../discovery/import-export.js';
import { packageLabel } from '../discovery/package-label.js';
import { discoveryError } from '../errors.js';
import type { DiscoveredCommand } from './discovered-command.js';

/** Imports a command that was found. */
export async function loadCommand(found: DiscoveredCommand): Promise<Command> {
  if (found.problem !== undefined) throw discoveryError('COMMAND_REJECTED', found.problem);
  const who = placeOf(found);
  const command = await importExport(commandFile(found), 'command', who);
  const { summary, usage, run } = Object(command) as Partial<Command>;
  if (typeof summary === 'string' && typeof usage === 'string' && typeof run === 'function') {
    return command as Command;
  }
  throw discoveryError(
    'NOT_A_COMMAND',
    `${who}: its export "command" is not a command. Expected { summary, usage, run(args, write) }.`,
  );
}

/** The file that a command is loaded from. Throws when it is not there, or lies outside of its package. */
export function commandFile(found: DiscoveredCommand): string {
  return realFile(join(found.dir, found.entry), placeOf(found), found.dir);
}

function placeOf({ name, package: from, version, dir, entry }: DiscoveredCommand): string {
  return `${packageLabel({ name: from, version })}, command "${name}" (${join(dir, entry)})`;
}
