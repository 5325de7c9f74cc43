import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { commitFolder, openFolder } from '@hookline/safetensors/node';
import { errorOf, someOf, tempFolder } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import { dirOf, type Outcome, run, stopAt } from './fixture.js';

/** Two checkpoints, after steps 5 and 7. */
async function cutOff(root: string): Promise<Outcome & { dir: string }> {
  const outcome = await run(root, { checkpoint: { filename: '{step}' }, hooks: [stopAt(7)] });
  return { ...outcome, dir: dirOf(outcome) };
}

/** Puts other text into a file of a checkpoint, or takes it away, under a manifest that agrees with it. */
async function reseal(
  path: string,
  name: string,
  change: (text: string) => string | undefined,
): Promise<void> {
  const folder = await openFolder(path);
  const files = new Map<string, Uint8Array | string>();
  for (const each of folder.manifest.files.keys()) files.set(each, await folder.read(each));
  const text = change(await folder.readText(name));
  if (text === undefined) files.delete(name);
  else files.set(name, text);
  rmSync(path, { recursive: true });
  const { info } = folder.manifest;
  await commitFolder(
    path,
    async (to) => {
      for (const [each, content] of files) await to.write(each, content);
    },
    { info },
  );
}

/** The step from which the run went on. */
function begins(): Hook & { steps: number[] } {
  const steps: number[] = [];
  return { name: 'begins', steps, onTrainStart: (ctx) => void steps.push(ctx.state.step) };
}

const nextIsLunch = (text: string) => text.replace(/"next":"\w+"/, '"next":"lunch"');

describe('a checkpoint that is whole and makes no sense', () => {
  test('is skipped by "auto" like a damaged one, with the file and the field as the reason', async () => {
    const root = tempFolder();
    const { dir } = await cutOff(root);
    await reseal(join(dir, '7'), 'state.json', nextIsLunch);
    const hook = begins();
    const { warnings } = await run(root, { hooks: [hook], fit: { resume: 'auto' } });
    expect(hook.steps).toEqual([5]);
    const skipped = warnings.filter((line) => line.startsWith('Skipped'));
    expect(skipped).toHaveLength(1);
    expect(skipped[0]).toContain(join(dir, '7', 'state.json'));
    expect(skipped[0]).toContain('counters.next is "lunch"');
  });

  test('is an error when it was named by its path', async () => {
    const root = tempFolder();
    const { dir } = await cutOff(root);
    await reseal(join(dir, '7'), 'state.json', nextIsLunch);
    const error = await errorOf(run(root, { fit: { resume: join(dir, '7') } }));
    expect(error.code).toBe('BAD_CHECKPOINT');
    expect(error.message).toContain('counters.next');
  });

  test.each([
    [
      'is cut off',
      (text: string) => text.slice(0, 40),
      'NOT_A_CHECKPOINT',
      /state\.json of .* does not hold the state/,
    ],
    ['is missing', () => undefined, 'BAD_CHECKPOINT', /state\.json is missing.* trainer\.load\(\)/],
    [
      'has a best checkpoint without a name',
      (text: string) => text.replace(/("best":\[\{"path":)"[^"]*"/, '$1null'),
      'HOOK_STATE',
      /Hook "checkpoint" was given a saved state that is not its own/,
    ],
  ])('is an error that says what is wrong when its state %s', async (_what, change, code, message) => {
    const root = tempFolder();
    const { dir } = await cutOff(root);
    await reseal(join(dir, '7'), 'state.json', change);
    const error = await errorOf(run(root, { fit: { resume: join(dir, '7') } }));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('is skipped by "auto" when it has no state', async () => {
    const root = tempFolder();
    const { dir } = await cutOff(root);
    await reseal(join(dir, '7'), 'state.json', () => undefined);
    const hook = begins();
    const { warnings } = await run(root, { hooks: [hook], fit: { resume: 'auto' } });
    expect(hook.steps).toEqual([5]);
    expect(warnings.join()).toContain(`${join(dir, '7', 'state.json')} is missing`);
  });
});

describe('model.json', () => {
  test('that was damaged makes the checkpoint a damaged one', async () => {
    const root = tempFolder();
    const { dir } = await cutOff(root);
    const file = join(dir, '7', 'model.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('tanh', 'relu'));
    await expect(run(root, { fit: { resume: join(dir, '7') } })).rejects.toThrow(/model\.json/);
    const hook = begins();
    const { warnings } = await run(root, { hooks: [hook], fit: { resume: 'auto' } });
    expect(hook.steps).toEqual([5]);
    expect(warnings.join()).toContain('model.json');
  });

  test.each(someOf(['', '{}', '[1]', '{"modelTopology":null}'], 2))(
    'that holds %j is not a model',
    async (text) => {
      const root = tempFolder();
      const { dir } = await cutOff(root);
      await reseal(join(dir, '7'), 'model.json', () => text);
      const error = await errorOf(run(root, { fit: { resume: join(dir, '7') } }));
      expect(error.code).toBe('NOT_A_CHECKPOINT');
      expect(error.message).toContain('model.json');
    },
  );
});
