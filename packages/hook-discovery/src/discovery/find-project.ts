import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';
import { discoveryError } from '../errors.js';
import { type ProjectFile, projectAbove } from './project-root.js';

/** Where the hooks of a program are looked for. */
export interface Project {
  /** The project's folder; where the search began when there is no project. */
  root: string;
  /** The text of its package.json; undefined when there is no project. */
  text: string | undefined;
  /** Every folder from which it was looked for. */
  looked: readonly string[];
}

/**
 * The project at or above `start`. Without it, the project of the program that runs: that of its script if it uses
 * Hookline, else that of the working directory. So a program has the same hooks wherever it is started from.
 */
export function findProject(start?: string): Project {
  if (start !== undefined) {
    const folder = resolve(start);
    if (!existsSync(folder)) throw noFolder(folder);
    return { root: folder, text: undefined, ...projectAbove(folder), looked: [folder] };
  }
  const looked = [...new Set([scriptFile(), process.cwd()].filter((folder) => folder !== undefined))];
  const found = looked.map(projectAbove).filter((project) => project !== undefined);
  const project = found.find(usesHookline) ?? found.at(-1);
  return { root: process.cwd(), text: undefined, ...project, looked };
}

/** The script that Node was started with, links resolved; undefined when it is a tool that somebody installed. */
function scriptFile(): string | undefined {
  const script = process.argv[1];
  // With `node -e` and in a REPL there is none, and the first argument takes its place.
  if (script === undefined || !isAbsolute(script)) return undefined;
  const file = realPath(script);
  return file.split(sep).includes('node_modules') ? undefined : file;
}

function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file; // `node train` runs train.js
  }
}

function usesHookline({ text }: ProjectFile): boolean {
  return text.includes('"@hookline/');
}

function noFolder(folder: string): Error {
  return discoveryError('NO_PROJECT', `There is no folder ${folder}. Expected the folder of your project.`);
}
