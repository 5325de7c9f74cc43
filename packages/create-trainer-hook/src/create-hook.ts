import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@hookline/hook-api/helpers';
import { makeFolderNow } from '@hookline/host/node';
import { createError } from './errors.js';
import { type HookNames, hookNames } from './hook-names.js';
import { readTemplate } from './read-template.js';

export interface CreateHookOptions {
  /** Where folders are relative to. Default: the working directory. */
  cwd?: string;
  /** The name in the license. Default: `user.name` of git. */
  author?: string;
  /** A folder with the template of the package. */
  template?: string;
}

export interface CreatedHook extends Omit<HookNames, 'folder'> {
  /** Absolute. */
  folder: string;
  /** Relative to it, in order. */
  files: string[];
}

/** Writes the package of a new hook. It appears as a whole, or not at all. */
export function createHook(name: string, options: CreateHookOptions = {}): CreatedHook {
  const names = hookNames(name);
  const folder = resolve(options.cwd ?? process.cwd(), names.folder);
  refuseOccupied(folder);
  const template = options.template ?? fileURLToPath(new URL('template', import.meta.url));
  const author = options.author ?? gitUser();
  const files = readTemplate(template, { ...names, author, year: new Date().getFullYear() });

  const draft = makeDraft(folder);
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(draft, path)), { recursive: true });
      writeFileSync(join(draft, path), text);
    }
    if (existsSync(folder)) rmdirSync(folder);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  return { ...names, folder, files: [...files.keys()].sort() };
}

/** A folder beside the one that is to be. */
function makeDraft(folder: string): string {
  try {
    makeFolderNow(dirname(folder));
    return mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
  } catch (cause) {
    throw createError(
      'NOT_WRITABLE',
      `${folder} cannot be created: ${messageOf(cause)}. Name a folder where you may write.`,
      cause,
    );
  }
}

function refuseOccupied(folder: string): void {
  if (!existsSync(folder)) return;
  const place = relative(process.cwd(), folder) || folder;
  if (!statSync(folder).isDirectory())
    throw createError(
      'NOT_EMPTY',
      `${place} is a file. Nothing was written. Choose another name, or move it.`,
    );
  const found = readdirSync(folder);
  if (found.length === 0) return;
  throw createError(
    'NOT_EMPTY',
    `${place} is not empty: it has ${found.slice(0, 3).join(', ')}${found.length > 3 ? ` and ${found.length - 3} more` : ''}. Nothing was written. Choose another name, or empty it first.`,
  );
}

/** Of the person who publishes the hook, as far as this machine knows. */
function gitUser(): string {
  try {
    return execFileSync('git', ['config', 'user.name'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return ''; // there is no git, or it has no name
  }
}
