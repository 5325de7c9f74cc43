import { createRequire } from 'node:module';
import { didYouMean } from '@hookline/hook-api';
import { type Command, messageOf, type Write } from '@hookline/hook-api/helpers';
import {
  COMMANDS_OF_PACKAGES,
  type CommandDiscovery,
  discoverCommands,
  howToGetCommand,
  loadCommand,
} from '@hookline/hook-discovery';
import { withoutControls } from '#host';
import { trainerError } from '../errors.js';
import { compareCommand } from './compare-command.js';
import { completionCommand } from './completion-command.js';
import { doctorCommand } from './doctor-command.js';
import { exportCommand } from './export-command.js';
import { helpText } from './help-text.js';
import { hooksCommand } from './hooks-command.js';
import { initCommand } from './init/init-command.js';
import { inspectCommand } from './inspect-command.js';
import { replayCommand } from './replay-command.js';
import { reproduceCommand } from './reproduce-command.js';
import { resumeCommand } from './resume-command.js';
import { runsCommand } from './runs-command.js';
import { trainCommand } from './train-command.js';

/** Those of the trainer. Packages bring more: `trainerCommands` in their package.json. */
const COMMANDS: Readonly<Record<string, Command>> = {
  init: initCommand,
  train: trainCommand,
  resume: resumeCommand,
  runs: runsCommand,
  compare: compareCommand,
  reproduce: reproduceCommand,
  hooks: hooksCommand,
  doctor: doctorCommand,
  inspect: inspectCommand,
  export: exportCommand,
  replay: replayCommand,
  completion: completionCommand(usages),
};

/** Runs `hookline <args>` and returns the exit code: 0 fine, 1 something is wrong, 2 wrongly called. */
export async function runCli(args: readonly string[], out: Write, err: Write): Promise<number> {
  // Whatever a command prints: paths and messages may come from a package or a file that nobody trusts yet.
  const write: Write = (text) => out(withoutControls(text));
  const writeError: Write = (text) => err(withoutControls(text));
  const [name, ...rest] = args;
  if (name === '--version' || name === '-v') {
    write(`hookline ${ownVersion()}\n`);
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    write(helpText(COMMANDS, foundCommands()));
    return name === undefined ? 2 : 0;
  }
  let command: Command | undefined;
  try {
    command = await commandNamed(name);
    if (rest.includes('--help') || rest.includes('-h')) {
      write(command.usage);
      return 0;
    }
    return await command.run(rest, write);
  } catch (error) {
    const wronglyCalled = (error as { code?: unknown }).code === 'CLI_USAGE';
    const usage = command?.usage ?? helpText(COMMANDS, foundCommands());
    writeError(`${errorText(error)}\n${wronglyCalled ? `\n${usage}` : ''}`);
    return wronglyCalled ? 2 : 1;
  }
}

/** Errors that have a code say what to do; of any other, which comes from the user's own code, its place matters. */
function errorText(error: unknown): string {
  const { code, stack } = Object(error) as NodeJS.ErrnoException;
  return code === undefined && stack !== undefined ? stack : messageOf(error);
}

async function commandNamed(name: string): Promise<Command> {
  const own = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (own) return own;
  const { commands } = foundCommands();
  const named = commands.filter((command) => command.name === name);
  const found = named.find(({ problem }) => problem === undefined) ?? named[0];
  if (found) return loadCommand(found);
  const missing = howToGetCommand(name, process.cwd());
  if (missing !== undefined) throw trainerError('COMMAND_MISSING', missing);
  const known = [...Object.keys(COMMANDS), ...commands.map((each) => each.name), ...COMMANDS_OF_PACKAGES];
  throw trainerError('CLI_USAGE', `hookline has no command "${name}".${didYouMean(name, known)}`);
}

function foundCommands(): CommandDiscovery {
  return discoverCommands(process.cwd(), Object.keys(COMMANDS));
}

/** Of a package's command only the name is known before it is imported. */
function usages(): Record<string, string> {
  const own = Object.entries(COMMANDS).map(([name, { usage }]) => [name, usage]);
  const found = foundCommands().commands.filter(({ problem }) => problem === undefined);
  return Object.fromEntries([...own, ...found.map(({ name }) => [name, ''])]);
}

function ownVersion(): string {
  // By its own name: the file is elsewhere in the sources than in what is published.
  const require = createRequire(import.meta.url);
  return (require('@hookline/trainer/package.json') as { version: string }).version;
}
