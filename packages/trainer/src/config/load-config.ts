import { findProjectRoot } from '@hookline/hook-discovery';
import { dirname } from '@hookline/host';
import { applyOverrides } from './apply-overrides.js';
import { configProblems } from './check-config.js';
import { hookProblems } from './check-hooks.js';
import type { Config } from './config.js';
import { hooksFrom } from './file-reference.js';
import { findConfig } from './find-config.js';
import type { Overrides } from './overrides.js';
import { overridesInEnvironment } from './overrides.js';
import { configError } from './problems.js';
import { readConfig } from './read-config.js';

export interface ConfigOptions {
  /** A config file, or the folder that holds one; by default the nearest at or above the working directory. */
  readonly file?: string | undefined;
  /** Settings that replace those of the file. They win over those in `HOOKLINE_SET`. */
  readonly set?: Overrides;
  /** Where to begin to look, and what `file` is relative to. */
  readonly cwd?: string;
}

export interface LoadedConfig {
  readonly file: string;
  /** The project's folder. */
  readonly root: string;
  /** With the overrides, and checked as a whole. */
  readonly config: Config;
  readonly overrides: Overrides;
}

/** Finds, reads and overrides a config, and checks all of it. Of the user's code only the config file and the hooks are imported. */
export async function loadConfig(options: ConfigOptions = {}): Promise<LoadedConfig> {
  const file = await findConfig(options.file, options.cwd);
  const overrides = { ...overridesInEnvironment(), ...options.set };
  const given = applyOverrides(await readConfig(file), overrides) as { hooks?: unknown; discover?: never };
  const root = findProjectRoot(dirname(file)) ?? dirname(file);
  const problems = configProblems(given);
  const hooks = hooksFrom(given.hooks ?? {}, file, root);
  if (problems.every(({ path }) => !path.startsWith('hooks'))) {
    problems.push(...(await hookProblems(hooks, { root, discover: given.discover ?? true })));
  }
  if (problems.length > 0) throw configError(file, problems);
  return { file, root, config: { ...given, hooks } as unknown as Config, overrides };
}
