import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, messageOf } from '@hookline/hook-api/helpers';
import { makeFolderNow } from '@hookline/host/node';
import { shortPath } from '#host';
import { trainerError } from '../../errors.js';
import { readArguments } from '../read-flags.js';
import { projectFiles } from './project-files.js';

/** Writes a project that trains. Asks nothing, so that it works without a terminal. */
export const initCommand: Command = {
  summary: 'write a new project that trains in a minute',
  usage: `hookline init [folder] [--js]

  [folder]  a new or an empty folder, the current one by default
  --js      JavaScript instead of TypeScript
`,
  run(args, write) {
    const { values, positionals } = readArguments(args, { js: { type: 'boolean' } }, 1);
    const folder = resolve(positionals[0] ?? '.');
    refuseUsed(folder);
    const files = projectFiles({ name: packageName(folder), isTypeScript: !values.js });
    writeAll(folder, files);
    const steps = folder === process.cwd() ? [] : [`cd ${shortPath(folder)}`];
    write(
      [
        `Wrote ${Object.keys(files).length} files to ${shortPath(folder)}:`,
        ...Object.keys(files).map((file) => `  ${file}`),
        '',
        'Next:',
        ...[...steps, 'npm install', 'npx hookline train'].map((step) => `  ${step}`),
        '',
      ].join('\n'),
    );
    return 0;
  },
};

function refuseUsed(folder: string): void {
  if (!existsSync(folder)) return;
  const isFolder = statSync(folder).isDirectory();
  // A new repository is empty.
  const found = isFolder ? readdirSync(folder).filter((name) => name !== '.git') : [];
  if (isFolder && found.length === 0) return;
  const what = isFolder
    ? `is not empty: it has ${found.slice(0, 3).join(', ')}${found.length > 3 ? ', ...' : ''}`
    : 'is a file';
  throw trainerError('FOLDER_NOT_EMPTY', `${folder} ${what}. Name a new folder: hookline init my-project`);
}

/** All of them or none. */
function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  const isNew = !existsSync(folder);
  try {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path);
      makeFolderNow(dirname(file));
      writeFileSync(file, text);
    }
  } catch (error) {
    if (isNew) rmSync(folder, { recursive: true, force: true });
    else
      for (const path of Object.keys(files))
        rmSync(join(folder, path.split('/')[0]!), { recursive: true, force: true });
    throw trainerError(
      'FOLDER_NOT_WRITABLE',
      `${folder} cannot be written: ${messageOf(error)}. Name a folder that can: hookline init my-project`,
      error,
    );
  }
}

/** As npm allows it. */
function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name || 'my-training';
}
