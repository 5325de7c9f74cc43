import type { Command } from '@hookline/hook-api/helpers';
import type { CommandDiscovery } from '@hookline/hook-discovery';
import { printable } from '#host';

/** What `hookline --help` prints: the commands of the trainer, those that packages bring, and what is wrong with the latter. */
export function helpText(own: Readonly<Record<string, Command>>, found: CommandDiscovery): string {
  const { commands, problems } = printable(found);
  const usable = commands.filter(({ problem }) => problem === undefined);
  const width = Math.max(
    ...[...Object.keys(own), ...usable.map(({ name }) => name)].map(({ length }) => length),
  );
  const line = (name: string, summary: string) => `  hookline ${name.padEnd(width)}  ${summary}`;
  const broken = [...problems, ...commands.flatMap(({ problem }) => problem ?? [])];
  return [
    ...Object.entries(own).map(([name, { summary }]) => line(name, summary)),
    ...section(
      'From your dependencies:',
      usable.map(({ name, summary, package: from }) => line(name, `${summary} (${from})`)),
    ),
    ...section(
      'Commands that cannot be used:',
      broken.map((problem) => `  ${problem}`),
    ),
    '',
    '  hookline --help     show this; every command has --help too',
    '  hookline --version  show the version',
    '',
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}
