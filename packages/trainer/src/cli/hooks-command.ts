import { orderHooks } from '@hookline/hook-api';
import {
  type DiscoveredPackage,
  type Discovery,
  discoverHooks,
  HOOK_API_VERSION,
  isDiscoveryOff,
  packageLabel,
} from '@hookline/hook-discovery';
import { type Command, readFlags } from './command.js';
import { type HookRow, hookTable } from './hook-table.js';
import { reportOfRun } from './recorded-hooks.js';

/** Lists what discovery finds. Reads JSON files only: safe to run with a plugin that you do not trust yet. */
export const hooksCommand: Command = {
  summary: 'list the hooks found in your dependencies, and the order in which they run',
  usage: `hookline hooks [--root <folder>] [--dev] [--json]
hookline hooks --run <folder> [--json]

  --root <folder>  the project, the current folder by default
  --dev            also look at devDependencies
  --run <folder>   list the hooks that a run had instead, with those given in code and every instance
  --json           print JSON

Without --run, the exit code is 1 when a package is rejected.
`,
  run(args, write) {
    const flags = readFlags(args, {
      root: { type: 'string' },
      dev: { type: 'boolean' },
      run: { type: 'string' },
      json: { type: 'boolean' },
    });
    if (flags.run !== undefined) {
      write(reportOfRun(flags.run, flags.json ?? false));
      return 0;
    }
    const discovery = discoverHooks({
      includeDev: flags.dev ?? false,
      ...(flags.root === undefined ? {} : { root: flags.root }),
    });
    const rows = discovery.packages.flatMap(rowsOf);
    const order = orderHooks(rows.filter(({ status }) => status === 'on')).map(({ name }) => name);
    if (flags.json) write(`${JSON.stringify({ ...discovery, hookApi: HOOK_API_VERSION, order }, null, 2)}\n`);
    else write(report(discovery, rows, order));
    return discovery.packages.some(({ status }) => status === 'rejected') ? 1 : 0;
  },
};

type PackageRow = HookRow & { source: 'plugin' };

function rowsOf(plugin: DiscoveredPackage): PackageRow[] {
  const row = { source: 'plugin', from: packageLabel(plugin) } as const;
  if (plugin.status !== 'found') {
    const name = plugin.hooks.map((hook) => hook.name).join(', ') || '?';
    const status = plugin.status === 'disabled' ? 'off' : 'rejected';
    return [{ ...row, name, status, kinds: [], notes: plugin.reasons }];
  }
  return plugin.hooks.map(({ name, autoload, kinds = [] }) => {
    const off = isDiscoveryOff() ? 'HOOKLINE_DISCOVERY=off' : autoload ? undefined : 'autoload is false';
    if (off === undefined) return { ...row, name, status: 'on', kinds, notes: [] };
    return { ...row, name, status: 'off', kinds, notes: [`${off}: on only when you name it`] };
  });
}

function report(
  { root, packages, notInstalled }: Discovery,
  rows: readonly HookRow[],
  order: readonly string[],
): string {
  const lines = [
    `Hooks in the dependencies of ${root} (hook-api ${HOOK_API_VERSION})`,
    '',
    ...hookTable(rows),
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
