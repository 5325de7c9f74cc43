import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { init, parse } from 'es-module-lexer';

/** A file that needs Node. */
export interface NodeImport {
  file: string;
  module: string;
}

/** Where the bundler finds what a file imports; undefined when that is not a file. */
export type Resolve = (specifier: string, importer: string) => Promise<string | undefined>;

/**
 * The first import of a module of Node that loading a file leads to, along the files that a bundler would take for a browser.
 * What is only imported by `import()` does not count: it may never run there. Packages that the user installs beside the hook,
 * its peer dependencies, are not followed.
 */
export async function findNodeImport(
  entry: string,
  peers: readonly string[],
  resolve: Resolve,
): Promise<NodeImport | undefined> {
  await init;
  const seen = new Set([entry]);
  for (const file of seen) {
    for (const specifier of await importsOf(file)) {
      if (isPeer(specifier, peers)) continue;
      if (isBuiltin(specifier)) {
        if (await isReplaced(specifier, file)) continue;
        return { file, module: specifier };
      }
      const found = await resolve(specifier, file);
      if (found !== undefined) seen.add(found);
    }
  }
  return undefined;
}

async function importsOf(file: string): Promise<string[]> {
  if (!/\.[cm]?[jt]sx?$/.test(file)) return [];
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    const [imports, , , isModule] = parse(text, file);
    // Those with a position of their own are `import()` and `import.meta`.
    if (isModule) return imports.flatMap(({ d, n }) => (d === -1 && n !== undefined ? [n] : []));
  } catch {
    return []; // the bundler says what is wrong with it
  }
  return [...text.matchAll(/\brequire\(\s*['"]([^'"]+)['"]\s*\)/g)].map(([, name]) => name!);
}

function isPeer(specifier: string, peers: readonly string[]): boolean {
  return peers.some((peer) => specifier === peer || specifier.startsWith(`${peer}/`));
}

/** Older packages replace modules of Node in the field `browser` of their package.json. */
async function isReplaced(specifier: string, file: string): Promise<boolean> {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) {
      const { browser } = JSON.parse(text) as { browser?: object | string };
      return typeof browser === 'object' && Object.hasOwn(browser, specifier);
    }
    if (folder === dirname(folder)) return false;
  }
}
