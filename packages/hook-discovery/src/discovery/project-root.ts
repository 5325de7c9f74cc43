import { dirname, join, resolve } from 'node:path';
import { readIfThere, withoutMark } from './package-json.js';

/** A folder with a package.json that describes a project, and its text. */
export interface ProjectFile {
  root: string;
  text: string;
}

/** The folder of the nearest package.json at or above `start`; undefined when there is none. */
export function findProjectRoot(start: string = process.cwd()): string | undefined {
  return projectAbove(start)?.root;
}

/**
 * The nearest package.json at or above `start`. One that only tells Node how to read the files beside it, such as
 * `{ "type": "module" }` in a folder of built files, counts only when there is no other.
 */
export function projectAbove(start: string): ProjectFile | undefined {
  let nearest: ProjectFile | undefined;
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const text = readIfThere(join(folder, 'package.json'));
    if (text !== undefined) {
      const found = { root: folder, text };
      if (!isMarker(text)) return found;
      nearest ??= found;
    }
    if (dirname(folder) === folder) return nearest;
  }
}

function isMarker(text: string): boolean {
  try {
    const keys = Object.keys(Object(JSON.parse(withoutMark(text))));
    return !keys.some((key) => key === 'name' || key === 'workspaces' || /dependencies$/i.test(key));
  } catch {
    return false; // whoever reads it says what is wrong
  }
}
