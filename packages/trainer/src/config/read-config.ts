import { messageOf } from '@hookline/hook-api/helpers';
import { importFile } from '@hookline/hook-discovery';
import { readFile } from '@hookline/host';
import { shortPath } from '#host';
import { kindOf, trainerError } from '../errors.js';

/** What a config file holds, not checked yet. */
export async function readConfig(file: string): Promise<object> {
  const config = await (file.endsWith('.json') ? readJson(file) : readModule(file));
  if (typeof config === 'object' && config !== null && !Array.isArray(config)) return config;
  throw bad(
    file,
    `it holds ${kindOf(config)}, expected an object: { "model": ..., "data": ..., "fit": ... }.`,
  );
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw bad(file, `it is not JSON: ${messageOf(cause)}`, cause);
  }
}

async function readModule(file: string): Promise<unknown> {
  let module: Record<string, unknown>;
  try {
    module = await importFile(file);
  } catch (cause) {
    throw bad(file, `importing it failed: ${messageOf(cause).trim()}`, cause);
  }
  const exported = module.default;
  // CommonJS, transpiled: its default export is one level deeper.
  const config = (Object(exported) as { default?: unknown }).default ?? exported;
  if (typeof config === 'function') {
    throw bad(
      file,
      'its default export is a function. Export what it returns: export default defineConfig({ ... }).',
    );
  }
  if (typeof (Object(config) as { then?: unknown }).then === 'function') {
    throw bad(file, 'its default export is a promise. Await it: export default await ...');
  }
  if (config !== undefined && config !== null) return config;
  const names = Object.keys(module).filter((name) => name !== 'default');
  throw bad(
    file,
    `it has no default export${names.length > 0 ? `; it exports ${names.join(', ')}` : ''}. Expected: export default defineConfig({ ... }).`,
  );
}

function bad(file: string, what: string, cause?: unknown): Error {
  return trainerError('BAD_CONFIG', `${shortPath(file)}: ${what}`, cause);
}
