import { HOOK_KINDS, type HookKind } from './hook-kind.js';
import {
  isObject,
  isPathInside,
  isPluginName,
  type ManifestFindings,
  refuse,
  warnOfUnknownKeys,
} from './manifest-rules.js';
import { didYouMean } from './nearest.js';
import { show } from './show.js';

export {
  type CommandsReport,
  type ManifestCommand,
  type TrainerCommandEntry,
  type TrainerCommandsField,
  validateCommands,
} from './command-manifest.js';
export type { ManifestFindings, ManifestProblem } from './manifest-rules.js';

/** `trainerHooks` in a package.json, as it is written. */
export type TrainerHooksField = string | TrainerHooksManifest;

export interface TrainerHooksManifest {
  schema: 1;
  /** Hook name to entry file, relative to the package. */
  hooks: Record<string, string | TrainerHookEntry>;
}

export interface TrainerHookEntry {
  /** Path inside the package, starting with `./`. */
  entry: string;
  /** Named export that holds the factory; `default` when absent. */
  export?: string;
  description?: string;
  /** `false`: listed, but off until the user names it. */
  autoload?: boolean;
  /** What the hook does, for lists of hooks that are not loaded. */
  kinds?: HookKind[];
}

/** One hook of a valid manifest, every default filled in. */
export interface ManifestHook {
  name: string;
  entry: string;
  export: string;
  description: string;
  autoload: boolean;
  /** Undefined when the manifest does not say. */
  kinds: readonly HookKind[] | undefined;
}

export interface ManifestReport extends ManifestFindings {
  hooks: ManifestHook[];
}

/**
 * Checks `trainerHooks` of a package.json and reports every problem with its path.
 *
 * A string is shorthand for one hook, named after the package: `@acme/trainer-hook-ema` gives `ema`.
 */
export function validateManifest(field: unknown, packageName: string): ManifestReport {
  const report: ManifestReport = { hooks: [], problems: [], warnings: [] };
  const at = 'trainerHooks';
  if (typeof field === 'string') {
    checkHook(report, at, packageName.replace(/^(@[^/]*\/)?((trainer-)?hook-)?/, ''), field);
  } else if (!isObject(field)) {
    refuse(report, at, 'a path or { "schema": 1, "hooks": { ... } }', field);
  } else if (field.schema !== 1) {
    refuse(report, `${at}.schema`, '1 (a later schema needs a newer @hookline/trainer)', field.schema);
  } else {
    warnOfUnknownKeys(report, at, field, ['schema', 'hooks']);
    const hooks = isObject(field.hooks) ? Object.entries(field.hooks) : [];
    if (hooks.length === 0) refuse(report, `${at}.hooks`, '{ "my-hook": "./dist/index.js" }', field.hooks);
    for (const [name, entry] of hooks) checkHook(report, `${at}.hooks[${JSON.stringify(name)}]`, name, entry);
  }
  return report;
}

const ENTRY_TYPES = { entry: 'string', export: 'string', description: 'string', autoload: 'boolean' };

function checkHook(report: ManifestReport, at: string, name: string, value: unknown): void {
  const before = report.problems.length;
  if (!isPluginName(name)) refuse(report, at, 'a hook name such as "my-hook"', name);
  const isEntry = isObject(value);
  const entry: Record<string, unknown> = isEntry ? value : { entry: value };
  warnOfUnknownKeys(report, at, entry, [...Object.keys(ENTRY_TYPES), 'kinds']);
  for (const [key, type] of Object.entries(ENTRY_TYPES)) {
    const path = isEntry ? `${at}.${key}` : at;
    const given = entry[key];
    if (key === 'entry' && !isPathInside(given))
      refuse(report, path, 'a path that begins with "./", without ".."', given);
    else if (given !== undefined && typeof given !== type) refuse(report, path, `a ${type}`, given);
  }
  checkKinds(report, `${at}.kinds`, entry.kinds);
  if (report.problems.length > before) return;
  // Known keys only: nobody here knows what a later version adds.
  const { entry: file, export: exported = 'default', description = '', autoload = true, kinds } = entry;
  report.hooks.push({ name, entry: file, export: exported, description, autoload, kinds } as ManifestHook);
}

function checkKinds(report: ManifestReport, at: string, kinds: unknown): void {
  if (kinds === undefined) return;
  const known = `"${HOOK_KINDS.join('", "')}"`;
  if (!Array.isArray(kinds)) refuse(report, at, `a list of ${known}`, kinds);
  for (const [index, kind] of Array.isArray(kinds) ? kinds.entries() : []) {
    if (HOOK_KINDS.includes(kind)) continue;
    const guess = didYouMean(String(kind), HOOK_KINDS);
    const message = `expected one of ${known}, got ${show(kind)}${guess && `.${guess}`}`;
    report.problems.push({ path: `${at}[${index}]`, message });
  }
}
