import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { declaredHooks } from './declared-hooks.js';

test('there are hooks to look at', () => {
  expect(declaredHooks.map(({ hook }) => hook)).toContain('early-stopping');
});

test.each(declaredHooks)(
  'the README of $path lists the options of $hook, all of them and no others',
  async ({ hook, exported, folder }) => {
    const { [exported]: factory } = await import(pathToFileURL(join(folder, 'src/index.ts')).href);
    expect(optionsIn(readFileSync(join(folder, 'README.md'), 'utf8'), hook).sort()).toEqual(
      [...factory.options.names].sort(),
    );
  },
);

/** The first column of the table of options: under the heading of the hook, or the only one of the page. */
function optionsIn(readme: string, hook: string): string[] {
  const section = readme.split(/^## /m).find((each) => each.startsWith(`\`${hook}\`\n`)) ?? readme;
  const [, rows = ''] = /^\| *option *\|.*\n\|[-| ]+\|\n((?:\|.*\n)*)/m.exec(section) ?? [];
  const cells = rows.split('\n').map((row) => row.split('|')[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map((match) => match[1]!));
}
