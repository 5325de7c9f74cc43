import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { didYouMean, HooklineError } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';

/** The real path of a file that must exist; with `inside`, it must lie in that folder, links resolved. */
export function realFile(file: string, who: string, inside?: string): string {
  let real: string;
  try {
    real = realpathSync.native(file);
  } catch (cause) {
    throw new HooklineError(
      'HOOK_FILE',
      `${who}: there is no such file. If it has to be built, build it first.`,
      {
        cause,
      },
    );
  }
  if (inside === undefined) return real;
  const path = relative(inside, real);
  // Absolute: another drive.
  if (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return real;
  throw new HooklineError(
    'HOOK_FILE',
    `${who}: it leads out of its package, to ${real}. Its code was not run.`,
  );
}

/** Imports a file and takes one export from it. By file URL: no `exports` map and no hoisting is in the way. */
export async function importExport(file: string, name: string, who: string): Promise<unknown> {
  let module: Record<string, unknown>;
  try {
    module = await import(/* @vite-ignore */ pathToFileURL(file).href);
  } catch (cause) {
    const hint = /\.[cm]?ts$/.test(file) ? ' (Node reads TypeScript through a loader, for example tsx)' : '';
    throw new HooklineError('HOOK_IMPORT', `${who}: importing it failed: ${messageOf(cause)}${hint}`, {
      cause,
    });
  }
  const value = pick(module, name);
  if (value !== undefined) return value;
  const names = Object.keys(module).filter((key) => key !== 'module.exports');
  throw new HooklineError(
    'HOOK_EXPORT',
    `${who}: it has no export "${name}".${didYouMean(name, names)} It exports: ${names.join(', ') || 'nothing'}.`,
  );
}

/** CommonJS, transpiled or not, arrives with its exports one `default` deeper. */
function pick(module: Record<string, unknown>, name: string): unknown {
  const inner = module.default;
  const deeper =
    typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined;
  return name === 'default' ? (deeper ?? inner) : (module[name] ?? deeper);
}
