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

/** Lists what discovery finds. Reads package.json files only: safe to run with a plugin that is not trusted yet. */
export const hooksCommand: Command = {
  summary: 'list the hooks found in your dependencies, and the order in which they run',
  usage: `hookline hooks [--root <folder>] [--dev] [--json]

  --root <folder>  the project, the current folder by default
  --dev            also look at devDependencies
  --json           print JSON
`,
  run(args, write) {
    const flags = readFlags(args, {
      root: { type: 'string' },
      dev: { type: 'boolean' },
      json: { type: 'boolean' },
    });
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

interface Row {
  name: string;
  source: 'plugin';
  from: string;
  status: 'on' | 'off' | 'rejected';
  reasons: readonly string[];
}

function rowsOf(plugin: DiscoveredPackage): Row[] {
  const row = { source: 'plugin', from: packageLabel(plugin) } as const;
  if (plugin.status !== 'found') {
    const name = plugin.hooks.map((hook) => hook.name).join(', ') || '?';
    return [
      { ...row, name, status: plugin.status === 'disabled' ? 'off' : 'rejected', reasons: plugin.reasons },
    ];
  }
  return plugin.hooks.map(({ name, autoload }) => {
    const off = isDiscoveryOff() ? 'HOOKLINE_DISCOVERY=off' : autoload ? undefined : 'autoload is false';
    if (off === undefined) return { ...row, name, status: 'on', reasons: [] };
    return { ...row, name, status: 'off', reasons: [`${off}: on only when you name it`] };
  });
}

function report(
  { root, packages, notInstalled }: Discovery,
  rows: readonly Row[],
  order: readonly string[],
): string {
  const lines = [`Hooks in the dependencies of ${root} (hook-api ${HOOK_API_VERSION})`, ''];
  if (rows.length === 0) lines.push('  none. A hook is a dependency whose package.json has "trainerHooks".');
  const [nameWidth, fromWidth] = [widest(rows, 'name'), widest(rows, 'from')];
  for (const { name, from, status, reasons } of rows) {
    lines.push(`  ${name.padEnd(nameWidth)}  ${from.padEnd(fromWidth)}  ${status}`);
    for (const reason of reasons) lines.push(`      ${reason}`);
  }
  const warnings = packages.flatMap((plugin) =>
    plugin.warnings.map((text) => `${packageLabel(plugin)}: ${text}`),
  );
  for (const name of notInstalled)
    warnings.push(`${name} is in package.json, but not installed: npm install`);
  if (warnings.length > 0) lines.push('', 'Warnings', ...warnings.map((text) => `  ${text}`));
  lines.push('', `Order: ${order.join(', ') || 'nothing runs'}`, '');
  return lines.join('\n');
}

function widest(rows: readonly Row[], key: 'name' | 'from'): number {
  return Math.max(0, ...rows.map((row) => row[key].length));
}
