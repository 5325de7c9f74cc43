import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { hookline } from './hookline.js';

test('bash completes the commands and the options of each', async () => {
  const { code, out } = await hookline('completion', 'bash');
  expect(code).toBe(0);
  const complete = (...words: string[]) => {
    const line = ['hookline', ...words].map((word) => `'${word}'`).join(' ');
    const script = `${out}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _hookline; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim();
  };
  expect(complete('re')).toBe('resume reproduce replay');
  expect(complete('train', '--')).toBe('--dashboard --help --resume --set');
  expect(complete('init', '--j')).toBe('--js');
});

test('zsh and fish get their own words, and another shell the nearest name', async () => {
  expect((await hookline('completion', 'zsh')).out).toMatch(/compdef _hookline hookline\n$/);
  expect((await hookline('completion', 'fish')).out).toContain(
    "complete -c hookline -n '__fish_seen_subcommand_from train' -l resume\n",
  );
  expect(await hookline('completion', 'fisch')).toMatchObject({
    code: 2,
    err: expect.stringContaining('There is no completion for "fisch". Did you mean "fish"?'),
  });
  expect(await hookline('completion')).toMatchObject({ code: 2 });
});
