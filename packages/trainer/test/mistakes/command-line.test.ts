import { expect, test } from 'vitest';
import { runCli } from '../../src/cli/run-cli.js';

/** What a user typed after `hookline`, the exit code, and what the answer must name: the fix. */
const mistakes: readonly [typed: string, code: number, fix: string][] = [
  ['', 2, 'hookline hooks'],
  ['hoks', 2, '"hooks"'],
  ['list', 2, 'hooks'],
  ['trian', 2, '"train"'],
  ['train /nowhere/at/all', 1, '/nowhere/at/all'],
  ['resume /nowhere/at/all', 1, '/nowhere/at/all'],
  ['compare', 2, 'compare'],
  ['hooks --jsn', 2, '--json'],
  ['hooks --root', 2, '--root'],
  ['hooks --root /nowhere/at/all', 1, '/nowhere/at/all'],
  ['hooks extra', 2, 'extra'],
  ['inspect', 2, 'inspect'],
  ['inspect /nowhere/at/all', 1, '/nowhere/at/all'],
  ['inspect --frmat x', 2, '--frmat'],
  ['export', 2, 'export'],
  ['export /nowhere/at/all --to out', 1, '/nowhere/at/all'],
  ['replay', 2, 'replay'],
  ['replay /nowhere/at/all', 2, '--'],
  ['doctor --jsonn', 2, '--json'],
];

test.each(mistakes)('hookline %s ends with %i, and the answer names %s', async (typed, code, fix) => {
  const said: string[] = [];
  const args = typed === '' ? [] : typed.split(' ');
  expect(
    await runCli(
      args,
      (text) => said.push(text),
      (text) => said.push(text),
    ),
  ).toBe(code);
  expect(said.join('')).toContain(fix);
  expect(said.join('')).not.toMatch(/^ +at /m); // no stack
});
