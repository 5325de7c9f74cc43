import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { commitFolder } from '@hookline/safetensors/node';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { runCli } from '../../src/cli/run-cli.js';

async function hookline(...args: string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const write = (text: string) => {
    out += text;
  };
  const code = await runCli(['export', ...args], write, write);
  return { code, out };
}

/** A checkpoint of a model made of raw operations. */
async function checkpointIn(root: string): Promise<string> {
  const path = join(root, 'step_5');
  await commitFolder(path, (folder) =>
    folder.writeSafetensors('model.safetensors', { slope: { shape: [1], data: Float32Array.of(2) } }),
  );
  return path;
}

test('it says which checkpoint it took, where it wrote to, and what', async () => {
  const root = tempFolder();
  const [from, to] = [await checkpointIn(root), join(root, 'out')];
  const { code, out } = await hookline(from, '--to', to, '--format', 'safetensors');
  expect(out).toBe(`${from} -> ${to}\n  model.safetensors  76 bytes\n`);
  expect(code).toBe(0);
  expect(readdirSync(to).sort()).toEqual(['manifest.json', 'model.safetensors']);
});

test('a folder that exists is refused, with exit code 1', async () => {
  const root = tempFolder({ 'out/precious.txt': 'keep' });
  const { code, out } = await hookline(
    await checkpointIn(root),
    '--to',
    join(root, 'out'),
    '--format',
    'safetensors',
  );
  expect(code).toBe(1);
  expect(out).toMatch(/exists/);
  expect(readdirSync(join(root, 'out'))).toEqual(['precious.txt']);
});

test.each([
  [[], 'Which run? Name its folder.'],
  [
    ['run', '--format', 'keas'],
    'There is no format "keas". Did you mean "keras"? Known formats: tfjs, safetensors, keras.',
  ],
  [['run', '--form', 'keras'], 'Unknown option \'--form\'. Did you mean "format"?'],
])('export %j is explained, with the usage and exit code 2', async (args, message) => {
  const { code, out } = await hookline(...args);
  expect(out).toContain(message);
  expect(out).toContain('hookline export <run>');
  expect(code).toBe(2);
});

test('where there is no checkpoint, nothing is written', async () => {
  const root = tempFolder({ 'notes.txt': '' });
  const { code, out } = await hookline(root, '--to', join(root, 'out'));
  expect(out).toContain(`There is no checkpoint in ${root}.`);
  expect(code).toBe(1);
  expect(existsSync(join(root, 'out'))).toBe(false);
});
