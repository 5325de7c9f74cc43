import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { train } from './tiny-training.js';

const published = fileURLToPath(new URL('../trainer-hook-loss-goal', import.meta.url));

test('whoever installs the package has the hook', async () => {
  const { result, trainer } = await train([], { epochs: 50 }, { root: await project(), discover: true });

  expect(trainer.hooks.list().map(({ name }) => name)).toEqual(['listener', 'loss-goal']);
  expect(result.stopReason).toMatch(/^loss 0\.\d+ is as low as the goal 0\.1$/);
});

test('it is tuned by name, and switched off by name', async () => {
  const root = await project();
  const tuned = await train([['loss-goal', { goal: 1000 }]], { epochs: 5 }, { root, discover: true });
  const off = await train([['loss-goal', false]], { epochs: 2 }, { root, discover: true });

  expect(tuned.result.stopReason).toMatch(/as low as the goal 1000$/);
  expect(off.result.status).toBe('completed');
});

/** A project that depends on the package, as npm would lay it out. */
async function project(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'hookline-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const dependencies = { 'trainer-hook-loss-goal': '^1.0.0' };
  await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'project', dependencies }));
  await mkdir(join(root, 'node_modules'));
  await symlink(published, join(root, 'node_modules', 'trainer-hook-loss-goal'), 'junction');
  return root;
}
