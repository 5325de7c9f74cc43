import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { HooklineError, ManifestHook } from '@hookline/hook-api';
import {
  type DiscoveredPackage,
  discoverHooks,
  hookFile,
  isDiscoveryOff,
  packageLabel,
} from '@hookline/hook-discovery';
import { notForBrowsers } from './errors.js';
import { findNodeImport, type Resolve } from './node-import.js';
import type { HooklineOptions } from './options.js';

export interface HooksModule {
  code: string;
  /** What is wrong with hooks that would be on; the page says so as well when it loads them. */
  warnings: string[];
  /** A change to one of these changes the module. */
  watch: string[];
}

/**
 * The module that says which hooks are installed, in the order of package.json, with their manifests. They are found as in Node,
 * and imported by the page when it needs them. One that cannot be used is listed, too: loading it is the error.
 */
export async function hooksModule(options: HooklineOptions, resolve: Resolve): Promise<HooksModule> {
  const { root, packages } = discoverHooks(options);
  const module: HooksModule = { code: '', warnings: [], watch: [join(root, 'package.json')] };
  const described: string[] = [];
  for (const plugin of packages) {
    if (plugin.status === 'disabled') continue;
    module.watch.push(join(plugin.dir, 'package.json'));
    described.push(await describe(plugin, resolve, module.warnings));
  }
  // In the global registry: a page may have two copies of hook-discovery, which looks there.
  module.code = `${HELPER}globalThis[Symbol.for('hookline.bundled-hooks')] = [${described.join(',\n')}];\n`;
  return module;
}

const HELPER = `function refuse(code, message) {
  return () => Promise.reject(Object.assign(new Error(message), { name: 'HooklineError', code }));
}
`;

async function describe(plugin: DiscoveredPackage, resolve: Resolve, warnings: string[]): Promise<string> {
  const { name, version, from } = plugin;
  const hooks = plugin.hooks.length > 0 ? plugin.hooks : [standIn(plugin)];
  const entries: string[] = [];
  for (const entry of new Set(hooks.map((hook) => hook.entry))) {
    const ofEntry = hooks.filter((hook) => hook.entry === entry);
    const file = await usableFile(plugin, ofEntry, resolve);
    if (typeof file !== 'string' && ofEntry.some(({ autoload }) => autoload)) warnings.push(file.message);
    const load =
      typeof file === 'string'
        ? `() => import(${JSON.stringify(file.replaceAll('\\', '/'))})`
        : `refuse(${JSON.stringify(file.code)}, ${JSON.stringify(file.message)})`;
    entries.push(`${JSON.stringify(entry)}: ${load}`);
  }
  const trainerHooks = {
    schema: 1,
    hooks: Object.fromEntries(hooks.map((hook) => [hook.name, entryOf(hook)])),
  };
  const fields = JSON.stringify({ name, version, from, trainerHooks }).slice(1, -1);
  return `{${fields}, "entries": {${entries.join(', ')}}}`;
}

/** The file of hooks, or why they cannot be used. */
async function usableFile(
  plugin: DiscoveredPackage,
  hooks: readonly ManifestHook[],
  resolve: Resolve,
): Promise<string | HooklineError> {
  const names = hooks.map(({ name }) => name);
  const who = `${packageLabel(plugin)}, hook ${names.map((name) => `"${name}"`).join(', ')}`;
  if (plugin.status === 'rejected') {
    return {
      code: 'PLUGIN_REJECTED',
      message: `${packageLabel(plugin)} cannot be used: ${plugin.reasons.join(' ')}`,
    } as HooklineError;
  }
  let file: string;
  try {
    file = hookFile(plugin, hooks[0]!);
  } catch (error) {
    return error as HooklineError;
  }
  const found = await findNodeImport(file, await peersOf(plugin), resolve);
  if (found === undefined) return file;
  const place = relative(plugin.dir, found.file).replaceAll('\\', '/');
  return notForBrowsers(who, names, `${place} imports ${found.module}`);
}

/** `HOOKLINE_DISCOVERY=off` when the page is built: hooks are on only when the page names them. */
function entryOf({ entry, export: exported, description, autoload, kinds }: ManifestHook): object {
  return { entry, export: exported, description, kinds, autoload: autoload && !isDiscoveryOff() };
}

/** For a package whose manifest is too wrong to name a hook: it must not be silent about that. */
function standIn({ name }: DiscoveredPackage): ManifestHook {
  const hook = name.replace(/^@/, '').replaceAll('/', '-');
  return {
    name: hook,
    entry: './package.json',
    export: 'default',
    description: '',
    autoload: true,
    kinds: undefined,
  };
}

async function peersOf({ dir }: DiscoveredPackage): Promise<string[]> {
  const { peerDependencies = {} } = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8'));
  return Object.keys(peerDependencies);
}
