import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findProjectRoot } from '@hookline/hook-discovery';
import { trainerError } from '../errors.js';

/**
 * The project that `--root` names, by default that of the current folder. Not that of the script, which is the command
 * itself.
 */
export function projectOf(folder: string = process.cwd()): string {
  const start = resolve(folder);
  const root = existsSync(start) ? findProjectRoot(start) : undefined;
  if (root !== undefined) return root;
  const what = existsSync(start) ? 'There is no package.json in or above' : 'There is no folder';
  throw trainerError('NO_PROJECT', `${what} ${start}. Name the folder of your project: --root <folder>.`);
}
