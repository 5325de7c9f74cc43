import { createRequire } from 'node:module';
import { didYouMean } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { withoutControls } from '../host/index.js';
import type { Command, Write } from './command.js';
import { doctorCommand } from './doctor-command.js';
import { exportCommand } from './export-command.js';
import { hooksCommand } from './hooks-command.js';
import { inspectCommand } from './inspect-command.js';
import { replayCommand } from './replay-command.js';

const COMMANDS: Readonly<Record<string, Command>> = {
  hooks: hooksCommand,
  doctor: doctorCommand,
  inspect: inspectCommand,
  export: exportCommand,
  replay: replayCommand,
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
    write(help());
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    writeError(`hookline has no command "${name}".${didYouMean(name, Object.keys(COMMANDS))}\n\n${help()}`);
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    write(command.usage);
    return 0;
  }
  try {
    return await command.run(rest, write);
  } catch (error) {
    const wronglyCalled = (error as { code?: unknown }).code === 'CLI_USAGE';
    writeError(`${messageOf(error)}\n${wronglyCalled ? `\n${command.usage}` : ''}`);
    return wronglyCalled ? 2 : 1;
  }
}

function ownVersion(): string {
  // By its own name: the file is elsewhere in the sources than in what is published.
  const require = createRequire(import.meta.url);
  return (require('@hookline/trainer/package.json') as { version: string }).version;
}

function help(): string {
  const commands = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  hookline ${name.padEnd(8)}  ${summary}`,
  );
  const more = ['--help    show this; every command has --help too', '--version show the version'];
  return [...commands, ...more.map((line) => `  hookline ${line}`), ''].join('\n');
}
