// node browser-check/readme.mjs: the lines that README.md and docs/browser.md show run as they are, in Node and in a page, to the same bits.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { findChromium } from './chromium.mjs';
import { withBrowser } from './debugged-page.mjs';
import { withFolder } from './static-server.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
/** Where the lines stand, and after which words. */
const places = [
  ['../README.md', '## Or in a page'],
  ['../docs/browser.md', '# Training in a browser'],
];
const weights = `(await trainer.model()).getWeights().flatMap((each) => [...each.dataSync()])`;

// In here, because Node looks for the packages above the program.
const folder = mkdtempSync(join(here, '.readme-'));
try {
  for (const [file, after] of /** @type {[string, string][]} */ (places)) {
    const code = linesOf(file, after);
    const inNode = trainInNode(code);
    const inPage = await trainInPage(code);
    assert.ok(inNode.length > 0 && inNode.every(Number.isFinite), `${file}: no weights`);
    assert.deepEqual(inPage, inNode, `${file}: the weights of a page and of Node`);
    console.log(
      `${file}: ${code.trim().split('\n').length} lines run in Node and in a page, to the same bits`,
    );
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The first block of JavaScript after some words.
 * @param {string} file
 * @param {string} after
 */
function linesOf(file, after) {
  const text = readFileSync(join(here, file), 'utf8');
  const [, code] = /```js\n(.*?)```/s.exec(text.slice(text.indexOf(after))) ?? [];
  if (!text.includes(after) || code === undefined) throw new Error(`${file} has no lines after "${after}"`);
  return code;
}

/**
 * @param {string} code
 * @returns {number[]}
 */
function trainInNode(code) {
  // A project without hooks of its own, as the page is.
  writeFileSync(join(folder, 'package.json'), '{ "name": "lines", "type": "module" }');
  const program = `${code}\nconsole.log(JSON.stringify(${weights}));`;
  writeFileSync(join(folder, 'train.js'), program);
  rmSync(join(folder, 'runs'), { recursive: true, force: true });
  const { stdout, stderr, status } = spawnSync(process.execPath, ['train.js'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the lines failed in Node: ${stderr}`);
  return JSON.parse(String(stdout.trim().split('\n').at(-1)));
}

/** @param {string} code */
async function trainInPage(code) {
  const site = join(folder, 'site');
  await build({
    stdin: {
      contents: `import './wasm-paths.js';\n${code}\nglobalThis.weights = ${weights};`,
      resolveDir: join(here, 'src'),
    },
    outfile: join(site, 'page.js'),
    ...{ bundle: true, format: 'esm', target: 'es2022', logLevel: 'error' },
  });
  writeFileSync(
    join(site, 'index.html'),
    '<!doctype html><title>check</title><body><script type="module" src="/page.js"></script>',
  );
  /** @type {number[]} */
  let found = [];
  await withFolder(site, (url) =>
    withBrowser(findChromium(), async (open) => {
      const page = await open(url);
      await page.until('globalThis.weights !== undefined', 240);
      found = await page.value('globalThis.weights');
    }),
  );
  return found;
}
