import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findNodeImport } from '../src/node-import.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-imports-')));
});
afterEach(() => rmSync(root, { recursive: true }));

/** What is found in files that are written for it, from index.js on; with the files that were asked for. */
async function found(files: Record<string, string>, peers: string[] = []) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const asked: string[] = [];
  const result = await findNodeImport(join(root, 'index.js'), peers, async (specifier, importer) => {
    asked.push(specifier);
    return specifier.startsWith('.') ? join(dirname(importer), specifier) : undefined;
  });
  return { module: result?.module, file: result && relative(root, result.file), asked };
}

test('an import of Node is found, however it is written', async () => {
  for (const [code, module] of [
    [`import fs from 'node:fs';`, 'node:fs'],
    [`import { join } from 'path';`, 'path'],
    [`import 'node:worker_threads';`, 'node:worker_threads'],
    [`export * from 'node:os';`, 'node:os'],
    [`const { readFileSync } = require('fs');`, 'fs'],
  ] as const) {
    expect(await found({ 'index.js': code }), code).toMatchObject({ module, file: 'index.js' });
  }
});

test('it is found behind other files, and says in which one', async () => {
  const files = {
    'index.js': `import { a } from './lib/a.js'; export default a;`,
    'lib/a.js': `export { a } from './b.js';`,
    'lib/b.js': `import { hostname } from 'node:os'; export const a = hostname;`,
  };
  expect(await found(files)).toMatchObject({ module: 'node:os', file: join('lib', 'b.js') });
});

test('files that import each other are read once', async () => {
  const files = {
    'index.js': `import './other.js'; import './third.js';`,
    'other.js': `import './index.js'; import './third.js';`,
    'third.js': `import './index.js';`,
  };
  const { module, asked } = await found(files);
  expect(module).toBeUndefined();
  expect(asked).toHaveLength(5);
});

test('what may never run does not count: import(), and names in texts and comments', async () => {
  const code = `
    // import 'node:fs';
    const text = "import 'node:fs'";
    export const later = () => import('node:fs');
    export const where = import.meta.url;`;
  expect((await found({ 'index.js': code })).module).toBeUndefined();
});

test('types cost nothing at run time, and the packages of the user are not followed', async () => {
  const code = `import { Trainer } from '@hookline/trainer'; import 'peer/deep'; import 'peered'; export {};`;
  const { module, asked } = await found({ 'index.js': code }, ['@hookline/trainer', 'peer']);
  expect([module, asked]).toEqual([undefined, ['peered']]);
});

test('a package that replaces a module of Node for browsers may import it', async () => {
  const files = {
    'index.js': `import './old/main.js';`,
    'old/main.js': `const fs = require('fs'); const os = require('os');`,
    'old/package.json': JSON.stringify({ name: 'old', browser: { fs: false } }),
  };
  expect(await found(files)).toMatchObject({ module: 'os' });
  files['old/package.json'] = JSON.stringify({ name: 'old', browser: { fs: false, os: './os.js' } });
  expect((await found(files)).module).toBeUndefined();
  files['old/package.json'] = JSON.stringify({ name: 'old', browser: './browser.js' });
  expect(await found(files)).toMatchObject({ module: 'fs' });
});

test('files that are not code, cannot be read, or are not JavaScript are left to the bundler', async () => {
  const files = {
    'index.js': `import './style.css'; import './data.json'; import './gone.js'; import './broken.js';`,
    'style.css': `@import 'node:fs';`,
    'data.json': `{}`,
    'broken.js': `import { from 'node:fs' ???`,
  };
  expect((await found(files)).module).toBeUndefined();
});
