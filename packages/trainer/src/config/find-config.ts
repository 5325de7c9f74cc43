import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findProjectRoot } from '@hookline/hook-discovery';
import { trainerError } from '../errors.js';

const NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map((ending) => `hookline.config.${ending}`);

/** The config file that is named, by its path or its folder; without a name, the nearest one up to the root of the project. */
export function findConfig(named: string | undefined, start: string = process.cwd()): string {
  const found = named === undefined ? configAbove(start) : configNamed(resolve(start, named));
  if (found !== undefined) return found;
  throw trainerError(
    'CONFIG_MISSING',
    named === undefined
      ? `There is no config file in ${start} or above it in the project. Expected one of ${NAMES.join(', ')}. Name another file, or begin a project with "npx hookline init my-project".`
      : `There is no config file ${resolve(start, named)}.`,
  );
}

/** The same, or undefined where there is none. */
export function configAbove(start: string): string | undefined {
  const top = findProjectRoot(start) ?? resolve(start);
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const found = configIn(folder);
    if (found !== undefined || folder === top || folder === dirname(folder)) return found;
  }
}

function configNamed(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  return statSync(path).isDirectory() ? configIn(path) : path;
}

function configIn(folder: string): string | undefined {
  const [found, second] = NAMES.filter((name) => existsSync(join(folder, name)));
  if (second === undefined) return found && join(folder, found);
  throw trainerError(
    'BAD_CONFIG',
    `${folder} has two config files, ${found} and ${second}. Remove one, or name the one you mean.`,
  );
}
