import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { isRelative, linksIn } from '../packed-readme.mjs';
import { root } from '../process.mjs';
import { pages, textOf } from './docs/pages.js';

it.each(pages())('the links of %s lead to files and headings that exist', (page) => {
  const broken = linksIn(textOf(page))
    .filter((link) => isRelative(link) || link.startsWith('#'))
    .filter((link) => !leadsSomewhere(page, link));
  expect(broken).toEqual([]);
});

function leadsSomewhere(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : posix.join(posix.dirname(page), file);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || headingsOf(target).includes(anchor);
}

/** As code hosts name them: in small letters, without punctuation, with hyphens. */
function headingsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}
