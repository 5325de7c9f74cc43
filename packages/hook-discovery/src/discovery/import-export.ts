import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { didYouMean } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { discoveryError } from '../errors.js';
import { importFile } from './import-file.js';

/** The real path of a file that must exist; with `inside`, it must lie in that folder, links resolved. */
export function realFile(file: string, who: string, inside?: string): string {
  let real: string;
  try {
    real = realpathSync.native(file);
  } catch (cause) {
    throw discoveryError(
      'HOOK_FILE',
      `${who}: there is no such file. If it has to be built, build it first.`,
      cause,
    );
  }
  if (inside === undefined) return real;
  const path = relative(inside, real);
  // Absolute: another drive.
  if (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return real;
  throw discoveryError('HOOK_FILE', `${who}: it leads out of its package, to ${real}. Its code was not run.`);
}

/** Imports a file, by its path so that no `exports` map interferes, and returns one of its exports. */
export async function importExport(file: string, name: string, who: string): Promise<unknown> {
  let module: Record<string, unknown>;
  try {
    module = await importFile(file);
  } catch (cause) {
    const message = messageOf(cause);
    throw discoveryError(
      'HOOK_IMPORT',
      `${who}: importing it failed: ${message.trim()}${importHint(message)}`,
      cause,
    );
  }
  const value = pick(module, name);
  if (value !== undefined) return value;
  const names = Object.keys(module).filter((key) => key !== 'module.exports');
  throw discoveryError(
    'HOOK_EXPORT',
    `${who}: it has no export "${name}".${didYouMean(name, names)} It exports: ${names.join(', ') || 'nothing'}.`,
  );
}

function importHint(message: string): string {
  // The loader of Yarn Plug'n'Play runs in another thread: of its errors only the message arrives here.
  const peer = /tried to access (\S+) \(a peer dependency\)/.exec(message)?.[1];
  if (peer)
    return `\nYarn does not install peer dependencies automatically. Add it to your project: yarn add ${peer}`;
  return '';
}

/** The exports of CommonJS modules, transpiled or not, are found under `default`. */
function pick(module: Record<string, unknown>, name: string): unknown {
  const inner = module.default;
  const deeper =
    typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined;
  return name === 'default' ? (deeper ?? inner) : (module[name] ?? deeper);
}
