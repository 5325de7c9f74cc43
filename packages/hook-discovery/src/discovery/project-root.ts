import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The folder of the nearest package.json at or above `start`; undefined when there is none. */
export function findProjectRoot(start: string = process.cwd()): string | undefined {
  let folder = resolve(start);
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return folder;
}
