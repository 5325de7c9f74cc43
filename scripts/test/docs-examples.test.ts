import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { someOf } from '../../testing/support/src/some-of.js';
import { pages } from '../pages.mjs';
import { readJson, root } from '../process.mjs';
import { workspacePackages } from '../workspace.mjs';
import { type Block, blocksOf } from './docs/blocks.js';
import { programOfNames } from './docs/our-names.js';
import {
  createProject,
  installedPackages,
  type Outcome,
  programOf,
  runPrograms,
  typeErrors,
} from './docs/project.js';

// Every example of this page runs; on the others those that show what they print.
const wholePrograms = 'docs/training.md';

const blocks = pages().flatMap(blocksOf);
const programs = blocks
  .filter(({ language, unchecked }) => ['ts', 'js'].includes(language) && !unchecked)
  .map((block) => programOf(block, block.prints !== undefined || block.page === wholePrograms));
// They share a process: the page that shows what tfjs does before it is corrected comes first.
const needsStock = ({ block }: { block: Block }) => block.page === 'packages/tfjs-corrections/README.md';
const runnable = programs
  .filter(({ runs }) => runs)
  .sort((a, b) => Number(needsStock(b)) - Number(needsStock(a)));
const running = someOf(runnable, 10);

// The options and methods that this page names in its tables.
const named = programOf(programOfNames('docs/coming-from.md'), false);

const project = createProject([...programs, named]);
afterAll(() => rmSync(project, { recursive: true }));

it('there are examples on most pages', () => {
  expect(runnable.length).toBeGreaterThan(30);
  expect(new Set(programs.map(({ block }) => block.page)).size).toBeGreaterThan(12);
});

it('no example has a mistake in its types or uses a name that does not exist', async () => {
  expect(await typeErrors(project)).toEqual([]);
});

describe('an example that runs prints what its page says', () => {
  let outcomes: Promise<Outcome[]> | undefined;

  it.each(running.map((program, index) => ({ name: titleOf(program.block), program, index })))(
    '$name',
    async ({ program, index }) => {
      outcomes ??= runPrograms(project, running);
      const outcome = (await outcomes)[index]!;
      const { prints } = program.block;
      if (prints === undefined) expect(outcome.error?.stack).toBeUndefined();
      else expectPrinted(outcome, prints);
    },
  );
});

describe('a block of another language', () => {
  const inLanguage = (language: string) =>
    blocks
      .filter((block) => block.language === language && !block.unchecked)
      .map((block) => ({ name: titleOf(block), code: block.code }));

  it.each(inLanguage('json'))('$name is JSON', ({ code }) => {
    expect(() => JSON.parse(code)).not.toThrow();
  });

  it.each(inLanguage('sh'))('$name names packages and scripts that exist', ({ code }) => {
    const ours = workspacePackages().map(({ manifest }) => manifest.name);
    const installed = installedPackages(code).filter((name) => name.startsWith('@hookline/'));
    expect(ours).toEqual(expect.arrayContaining(installed));
    const { scripts } = readJson(join(root, 'package.json'));
    const wanted = [...code.matchAll(/\bnpm run ([\w-]+)/g)].map((match) => match[1]);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(wanted));
  });

  it('is one that is checked or only read', () => {
    const known = ['ts', 'js', 'json', 'sh', 'mermaid', ''];
    const unknown = blocks.filter(({ language, unchecked }) => !unchecked && !known.includes(language));
    expect(unknown.map(titleOf)).toEqual([]);
  });
});

it('every block that is not checked says why', () => {
  const unexplained = blocks.filter(({ unchecked }) => unchecked !== undefined && unchecked.length < 20);
  expect(unexplained.map(titleOf)).toEqual([]);
});

/**
 * What a page shows of standard error is marked by the name of the trainer's logger. An error that ends the program is
 * printed as its last lines.
 */
function expectPrinted({ stdout, stderr, error }: Outcome, prints: string): void {
  const lines = prints.split('\n');
  const logged = lines.filter((line) => /^hookline (info|warn|error) /.test(line));
  const shown = lines.filter((line) => !logged.includes(line)).join('\n');
  const ending = error ? `${prints.startsWith(error.text.split(':')[0]!) ? error.text : error.stack}\n` : '';
  expect(steady(`${stdout}${ending}`)).toBe(steady(shown));
  for (const line of logged) expect(steady(stderr)).toContain(steady(line));
}

/** Without what differs from run to run: ids of runs, durations and rates. */
function steady(text: string): string {
  return (
    text
      .replace(/\d{8}-\d{6}-[0-9a-f]{6}/g, '<run>')
      .replace(/\b\d+(\.\d+)? s\b/g, '<seconds>')
      // With the padding in front of it, which depends on how many digits the rate has.
      .replace(/ +[\d.]+ batch\/s/g, ' <rate>')
  );
}

function titleOf({ page, line, language }: Block): string {
  return `${page}:${line} ${language}`;
}
