// The part of set-up that runs inside `npm exec`, where pnpm is on the PATH.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pnpm } from './process.mjs';
import { rememberSetup } from './setup.mjs';

const program = process.platform === 'win32' ? 'pnpm.cmd' : 'pnpm';
const options = process.argv.slice(2);
const folders = process.env.PATH?.split(delimiter) ?? [];

try {
  await pnpm(['install', ...(options.length > 0 ? options : ['--frozen-lockfile'])]);
  rememberSetup(folders.find((folder) => existsSync(join(folder, program))) ?? '');
} catch {
  console.error('[set-up] failed. After a change to a package.json, update the lockfile with:');
  console.error('[set-up]   npm run setup -- --no-frozen-lockfile');
  process.exitCode = 1;
}
