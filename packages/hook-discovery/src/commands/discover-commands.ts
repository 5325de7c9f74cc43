import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '@hookline/hook-api/helpers';
import { validateCommands } from '@hookline/hook-api/manifest';
import { commandOwner } from '../built-in-packages.js';
import { dependenciesOf, mayHave } from '../discovery/dependencies.js';
import type { PackageFile } from '../discovery/find-package.js';
import { parsePackageJson, versionIn } from '../discovery/package-json.js';
import { packageLabel } from '../discovery/package-label.js';
import { checkPeerRange } from '../discovery/peer-range.js';
import { projectAbove } from '../discovery/project-root.js';
import type { DiscoveredCommand } from './discovered-command.js';
import { commandFile } from './load-command.js';

export interface CommandDiscovery {
  commands: DiscoveredCommand[];
  /** Packages whose `trainerCommands` cannot be read, one sentence each. */
  problems: string[];
}

/**
 * Finds the commands in the direct dependencies of the project at or above `start`, devDependencies included: a command
 * runs only when somebody types its name. Reads package.json files and runs no code. `taken` are names that no package
 * can have.
 */
export function discoverCommands(start: string, taken: readonly string[]): CommandDiscovery {
  const discovery: CommandDiscovery = { commands: [], problems: [] };
  try {
    const project = projectAbove(start);
    if (project === undefined) return discovery;
    for (const { name, found } of dependenciesOf(project.root, project.text, true)) {
      if (found && mayHave(found, 'trainerCommands')) readCommands(discovery, name, found);
    }
  } catch (error) {
    discovery.problems.push(messageOf(error));
  }
  claimCommands(discovery.commands, taken);
  return discovery;
}

function readCommands(discovery: CommandDiscovery, name: string, { file, text }: PackageFile): void {
  try {
    const json = parsePackageJson(text, file);
    if (json.trainerCommands === undefined) return;
    const from = { package: name, version: versionIn(json), dir: realpathSync.native(dirname(file)) };
    const label = packageLabel({ name, version: from.version });
    const { commands, problems } = validateCommands(json.trainerCommands);
    discovery.problems.push(...problems.map(({ path, message }) => `${label}: ${path}: ${message}.`));
    const { problem } = checkPeerRange(json, name);
    for (const command of commands) {
      const found = { ...command, ...from, problem: problem && `${label} ${problem}` };
      discovery.commands.push({ ...found, problem: found.problem ?? fileProblem(found) });
    }
  } catch (error) {
    discovery.problems.push(`${name}: ${messageOf(error)}`);
  }
}

function fileProblem(command: DiscoveredCommand): string | undefined {
  try {
    commandFile(command);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** A name belongs to the `hookline` command itself, to a package of ours, or to the first package that works. */
function claimCommands(commands: readonly DiscoveredCommand[], taken: readonly string[]): void {
  const owners = new Map<string, string>(taken.map((name) => [name, 'hookline itself']));
  for (const command of commands.filter(({ problem }) => problem === undefined)) {
    const { name, package: from, version } = command;
    const owner = owners.get(name) ?? commandOwner(name) ?? from;
    if (owner === from) owners.set(name, from);
    else {
      const label = packageLabel({ name: from, version });
      command.problem = `${label} claims the command "${name}", which belongs to ${owner}.`;
    }
  }
}
