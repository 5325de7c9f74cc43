import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { anchorOf, isRelative, linksIn } from '../markdown-links.mjs';
import { pages, textOf } from '../pages.mjs';
import { root } from '../process.mjs';

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

function headingsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1]!));
}
