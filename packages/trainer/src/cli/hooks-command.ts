import { orderHooks } from '@hookline/hook-api';
import type { Command } from '@hookline/hook-api/helpers';
import { type Discovery, discoverHooks, HOOK_API_VERSION, packageLabel } from '@hookline/hook-discovery';
import { printable, printableJson } from '#host';
import { configuredHooks } from './configured-hooks.js';
import { type HookRow, hookTable } from './hook-table.js';
import { type InstalledRow, rowsOf } from './installed-hooks.js';
import { projectOf } from './project-option.js';
import { readFlags } from './read-flags.js';
import { reportOfRun } from './recorded-hooks.js';

/**
 * Lists what discovery finds, with what the config says about it. Of packages it reads JSON files only: safe to run with
 * a plugin that you do not trust yet, unless you ask for `--check`. The config is the user's own.
 */
export const hooksCommand: Command = {
  summary: 'list the hooks found in your dependencies, and the order in which they run',
  usage: `hookline hooks [--root <folder>] [--dev] [--check] [--no-config] [--json]
hookline hooks --run <folder> [--json]

  --root <folder>  the project, the current folder by default
  --dev            also look at devDependencies
  --check          load every hook, which runs its code, and say which of them fail
  --no-config      do not read the project's config file, which runs its code; list what is installed
  --run <folder>   list the hooks that a run had instead, with those given in code and every instance
  --json           print JSON

Without --run, the exit code is 1 when a package is rejected or a hook is broken.
`,
  async run(args, write) {
    const flags = readFlags(args, {
      root: { type: 'string' },
      dev: { type: 'boolean' },
      check: { type: 'boolean' },
      'no-config': { type: 'boolean' },
      run: { type: 'string' },
      json: { type: 'boolean' },
    });
    if (flags.run !== undefined) {
      write(reportOfRun(flags.run, flags.json ?? false));
      return 0;
    }
    const discovery = discoverHooks({ root: projectOf(flags.root), includeDev: flags.dev ?? false });
    const installed = await rowsOf(discovery, flags.check ?? false);
    const configured = flags['no-config'] ? undefined : await configuredHooks(discovery.root, installed);
    const rows = configured?.rows ?? installed;
    const order = configured?.order ?? namesInOrder(installed);
    const broken = rows.filter(({ status }) => status === 'broken');
    if (flags.json) {
      const failures = broken.map(({ name, notes }) => ({ name, reason: notes.join(' ') }));
      write(printableJson({ ...discovery, hookApi: HOOK_API_VERSION, order, broken: failures }));
    } else write(report(discovery, rows, order, configured?.note));
    return broken.length > 0 || rows.some(({ status }) => status === 'rejected') ? 1 : 0;
  },
};

function namesInOrder(rows: readonly InstalledRow[]): string[] {
  return orderHooks(rows.filter(({ status }) => status === 'on')).map(({ name }) => name);
}

function report(
  discovery: Discovery,
  rows: readonly HookRow[],
  order: readonly string[],
  note: string | undefined,
): string {
  const { root, packages, notInstalled } = printable(discovery);
  const lines = [
    `Hooks in the dependencies of ${root} (hook-api ${HOOK_API_VERSION})`,
    '',
    ...hookTable(rows),
    ...(note === undefined ? [] : ['', printable(note)]),
  ];
  if (rows.length === 0) lines.push('  none. A hook is a dependency whose package.json has "trainerHooks".');
  const warnings = packages.flatMap((plugin) =>
    plugin.warnings.map((text) => `${packageLabel(plugin)}: ${text}`),
  );
  for (const name of notInstalled) {
    warnings.push(`${name} is in package.json, but not installed: npm install`);
  }
  if (warnings.length > 0) lines.push('', 'Warnings', ...warnings.map((text) => `  ${text}`));
  lines.push('', `Order: ${order.join(', ') || 'nothing runs'}`, '');
  return lines.join('\n');
}
