import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../../pages.mjs';
import { publishedPackages } from '../../workspace.mjs';
import type { Block } from './blocks.js';

/** Every piece of code in the columns "Hookline" of a page's tables, with its line. */
export function ourNames(page: string): { name: string; line: number }[] {
  let column = -1;
  return textOf(page)
    .split('\n')
    .flatMap((text, index) => {
      const cells = text.startsWith('|') ? text.split(/(?<!\\)\|/) : [];
      if (cells.length === 0) column = -1;
      else if (cells.some((cell) => cell.trim() === 'Hookline')) {
        column = cells.findIndex((cell) => cell.trim() === 'Hookline');
        return [];
      }
      const spans = (cells[column] ?? '').matchAll(/`([^`]+)`/g);
      return [...spans].map((match) => ({ name: match[1]!, line: index + 1 }));
    });
}

/**
 * A program that has no type errors if all the options, members and methods exist that these names use; for names that
 * are looked up instead, it has nothing.
 */
export function programOfNames(page: string): Block {
  const statements = ourNames(page).map(({ name, line }) => `${statementOf(name)} // line ${line}: ${name}`);
  const code = [
    "import type { Hook } from '@hookline/hook-api';",
    "import type { FitOptions, TrainerOptions } from '@hookline/trainer';",
    ...publishedPackages()
      .filter(({ manifest }) => manifest.trainerHooks)
      .map(({ manifest }) => `import type {} from '${manifest.name}';`),
    'declare const hook: Required<Hook>;',
    'declare function options(given: Partial<TrainerOptions>): void;',
    'declare function fit(given: Partial<FitOptions>): void;',
    ...statements,
  ].join('\n');
  return { page, line: 1, language: 'ts', code, prints: undefined, unchecked: undefined };
}

/** The names that are not part of a program: exports and hooks, which must be in these lists. */
export function isLookedUp(name: string): boolean {
  return statementOf(name) === '';
}

export function existingNames(): Set<string> {
  const packages = publishedPackages();
  const exported = packages.flatMap(({ folder }) =>
    [...readFileSync(join(folder, 'src', 'index.ts'), 'utf8').matchAll(/\b[A-Za-z]\w+\b/g)].map(String),
  );
  const hooks = packages.flatMap(({ manifest }) => Object.keys(manifest.trainerHooks?.hooks ?? {}));
  return new Set([...exported, ...hooks]);
}

/** `tap(model, '**', ...)` is the name `tap`. */
export function nameIn(text: string): string {
  return /^[\w-]+/.exec(text)?.[0] ?? text;
}

const member = /^((on|transform)[A-Z]\w+|setup|teardown|saveState|loadState)$/;

function statementOf(name: string): string {
  const fit = /^trainer\.fit\((.+)\)$/.exec(name)?.[1];
  if (fit !== undefined) return `fit(${fit});`;
  const trainer = /^new Trainer\((.+)\)$/.exec(name)?.[1];
  if (trainer !== undefined) return `options(${trainer});`;
  if (/^(ctx|trainer)\./.test(name)) return `void ${name.replace(/\(.*/, '')};`;
  if (/^\w+: /.test(name)) return `options({ ${name} });`;
  if (member.test(name)) return `void hook.${name};`;
  // `on*` is what the names of many begin with.
  return /^\w+\*$/.test(name) ? `void '${name}';` : '';
}
