import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { publishedPackages, type WorkspacePackage } from '../workspace.mjs';

const packages = publishedPackages()
  .map((each) => ({ path: each.path, listed: functionsIn(each), exported: exportsOf(each) }))
  .filter(({ listed }) => listed.length > 0);

it('there are tables of functions to look at', () => {
  expect(packages.length).toBeGreaterThan(5);
});

it.each(packages)('$path exports the functions in the tables of its README', ({ listed, exported }) => {
  expect(listed.filter((name) => !exported.has(name))).toEqual([]);
});

/** Of the first column, `name(...)` and `new Name(...)`; `object.name(...)` belongs to something else. */
function functionsIn({ folder }: WorkspacePackage): string[] {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const tables = readme.matchAll(/^\| *(?:function|helper) *\|.*\n\|[-| ]+\|\n((?:\|.*\n)*)/gm);
  const cells = [...tables].flatMap((match) => match[1]!.split('\n').map((row) => row.split('|')[1] ?? ''));
  return cells.flatMap((cell) => [...cell.matchAll(/`(?:new )?([A-Za-z]\w*)\(/g)].map((match) => match[1]!));
}

/** Every name in the files that can be imported: they only re-export, so a name that is there is exported. */
function exportsOf({ folder, manifest }: WorkspacePackage): Set<string> {
  const sources = Object.values<{ '@hookline/source'?: string }>(manifest.exports)
    .map((target) => target['@hookline/source'])
    .filter((source) => source !== undefined);
  const texts = sources.map((source) => readFileSync(join(folder, source), 'utf8'));
  return new Set(texts.flatMap((text) => text.match(/\b[A-Za-z]\w*\b/g) ?? []));
}
