import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { brokenLinks } from '../src/broken-links.mjs';

const folder = mkdtempSync(join(tmpdir(), 'hookline-site-'));
afterAll(() => rmSync(folder, { recursive: true }));

const files = {
  'index.html': '<h1 id="hookline">Hookline</h1><a href="/base/hooks/a.html#options">a</a>',
  'hooks/a.html': '<h2 id="options">Options</h2><a href="#options">o</a><a href="../index.html">home</a>',
  'assets/picture.svg': '<svg/>',
};

function broken(html: string): string[] {
  for (const [name, text] of Object.entries({ ...files, 'hooks/b.html': html })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return brokenLinks(folder, '/base/');
}

it('a site whose links all lead somewhere has no broken ones', () => {
  const good = [
    '<a href="./a.html">',
    '<a href="/base/">',
    '<a href="/base/#hookline">',
    '<img src="/base/assets/picture.svg">',
    '<a href="https://code.example/x?a=1&amp;b=2#c">',
    '<script>const text = ` href="nothing.html"`;</script>',
  ];
  expect(broken(good.join(''))).toEqual([]);
});

it.each([
  ['<a href="./c.html">', './c.html leads to no file'],
  ['<a href="/hooks/a.html">', '/hooks/a.html leads to no file'],
  ['<a href="a.html#optoins">', 'a.html#optoins leads to no heading'],
  ['<a href="#nowhere">', '#nowhere leads to no heading'],
  ['<img alt="" src="/base/assets/gone.svg">', '/base/assets/gone.svg leads to no file'],
  ['<a href="https://code">', 'https://code is not an address'],
  ['<a href="htps://code.example">', 'htps://code.example is not an address'],
])('%s is reported with its page', (html, problem) => {
  expect(broken(html)).toEqual([`hooks/b.html: ${problem}`]);
});

it('a link that is broken on many pages is reported once', () => {
  writeFileSync(join(folder, 'c.html'), '<a href="/base/gone.html">');
  expect(broken('<a href="/base/gone.html">')).toEqual([
    expect.stringMatching(/^\S+ and 1 more: \/base\/gone.html leads to no file$/),
  ]);
});
