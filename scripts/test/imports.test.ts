import { expect, it } from 'vitest';
import { actsOnImport, importedPackages, importsOf } from '../imports.mjs';

it('imports are found in every form, and only in code', () => {
  const text = `
import { a } from 'one';
import type {
  B,
} from "@two/b/deep";
export * from 'three/sub';
import 'four';
const five = await import('five');
import { readFile } from 'node:fs';
import { c } from './local.js';
// import { d } from 'commented';
/** import { e } from 'documented'; */
const message = "add import x from 'quoted' to your file";
`;
  expect(importedPackages(text)).toEqual(['one', '@two/b', 'three', 'four', 'five']);
});

it('a specifier is reported with its line, and whether nothing is loaded for it', () => {
  const text = `/*
 * a comment
 */
import {
  one,
} from './one.js';
type Two = import('./two.js').Two;
import type { Three } from './three.js';
`;
  expect(importsOf(text)).toEqual([
    { specifier: './one.js', line: 6, isType: false },
    { specifier: './two.js', line: 7, isType: false },
    { specifier: './three.js', line: 8, isType: true },
  ]);
});

it('a glob in a string does not hide the code behind it', () => {
  const text = "const frozen = 'encoder/**';\nconst two = await import('two');\nconst bias = '**/bias';\n";
  expect(importedPackages(text)).toEqual(['two']);
});

it('code in a template literal is not taken for an import', () => {
  expect(
    importedPackages("const worker = `\nimport { a } from 'quoted';\n`;\nexport * from 'real';\n"),
  ).toEqual(['real']);
});

it.each(["import './effect.js';", 'start();', "await tf.setBackend('wasm');", 'process.exitCode = 1;'])(
  'a module with %s acts when it is imported',
  (statement) => {
    expect(actsOnImport(`export const a = 1;\n${statement}\n`)).toBe(true);
  },
);

it('a module that only defines names does not act when it is imported', () => {
  const text = `import { a } from './a.js';
export const b = a();
export function c(): void {
  a();
}
// start();
const source = \`
start();
\`;
for (const name of ['x']) b[name] = 1;
`;
  expect(actsOnImport(text)).toBe(false);
});
