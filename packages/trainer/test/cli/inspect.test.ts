import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitFolder, writePointer } from '@hookline/safetensors/node';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { runCli } from '../../src/cli/run-cli.js';

async function inspect(...args: string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const write = (text: string) => {
    out += text;
  };
  const code = await runCli(['inspect', ...args], write, write);
  return { code, out };
}

/** A run with two checkpoints, as the hook writes them. */
async function twoCheckpoints(): Promise<{ root: string; dir: string }> {
  const root = tempFolder({ 'checkpoints/README.txt': '' });
  const dir = join(root, 'checkpoints');
  for (const [sequence, step] of [5, 10].entries()) {
    const info = {
      sequence,
      step,
      epoch: sequence,
      completedEpochs: sequence + 1,
      savedAt: '2026-11-16T10:00:00.000Z',
      reason: 'every epoch',
      run: '20261116-100000-abcdef',
      rating: { monitor: 'val/loss', mode: 'min', value: 0.5 - sequence / 4 },
      metrics: { 'val/loss': 0.5 - sequence / 4, 'train/loss': 'NaN' },
    };
    await commitFolder(
      join(dir, `step_${step}`),
      async (folder) => {
        const kernel = { shape: [2, 2], data: new Float32Array([1, -2, 3, 0.5]) };
        await folder.writeSafetensors('model.safetensors', { 'dense/kernel': kernel });
        await folder.write('state.json', JSON.stringify({ hooks: { 'early-stopping': {}, checkpoint: {} } }));
      },
      { info },
    );
  }
  await writePointer(join(dir, 'best.json'), 'step_10');
  await writePointer(join(dir, 'last.json'), 'step_10');
  return { root, dir };
}

test('a checkpoint: where it stands in training, its metrics, files, tensors and health', async () => {
  const { dir } = await twoCheckpoints();
  const { code, out } = await inspect(join(dir, 'step_5'), '--tensors');
  expect(out.replaceAll(dir, '<dir>')).toMatchInlineSnapshot(`
    "<dir>/step_5

      at       epoch 1, step 5; 1 epoch complete
      saved    2026-11-16T10:00:00.000Z, every epoch
      run      20261116-100000-abcdef
      rating   val/loss 0.5
      metrics  val/loss 0.5  train/loss NaN
      hooks    early-stopping, checkpoint
      size     143 B

      model.safetensors  96 B  1 tensor, 4 values  good
      state.json         47 B                      good

      model  dense/kernel  F32 [2, 2]  -2 to 3

      Good: every file is as it was written, and all numbers are finite.
    "
  `);
  expect(code).toBe(0);
});

test('a run or a folder of checkpoints: a line for each, with the best and the last', async () => {
  const { root, dir } = await twoCheckpoints();
  const { code, out } = await inspect(root);
  expect(out).toBe((await inspect(dir)).out);
  expect(out).toContain('step_5   step 5   val/loss 0.5   143 B              good');
  expect(out).toContain('step_10  step 10  val/loss 0.25  143 B  best, last  good');
  expect(code).toBe(0);
  expect(JSON.parse((await inspect(dir, '--json')).out).checkpoints[1].info.step).toBe(10);
});

test('what is damaged or not finite is named, and the exit code says so', async () => {
  const { dir } = await twoCheckpoints();
  const file = join(dir, 'step_10', 'model.safetensors');
  const bytes = readFileSync(file);
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(file, bytes);
  await commitFolder(join(dir, 'bad'), (folder) =>
    folder.writeSafetensors('model.safetensors', {
      w: { shape: [2], data: new Float32Array([1, Number.NaN]) },
    }),
  );
  const { code, out } = await inspect(dir);
  expect(code).toBe(1);
  expect(out).toMatch(
    /Not good:\n\s+bad: model.safetensors: values of w that are not finite: 1\n\s+step_10: .*model.safetensors/,
  );
});

test('a folder without checkpoints and a call without a folder say what is expected', async () => {
  expect(await inspect(tempFolder())).toMatchObject({
    code: 1,
    out: expect.stringContaining('There is no checkpoint in'),
  });
  expect(await inspect()).toMatchObject({ code: 2, out: expect.stringContaining('Which checkpoint?') });
});

test('the marks of further metrics, and the folder of another checkpoint hook of the run', async () => {
  const { root, dir } = await twoCheckpoints();
  await writePointer(join(dir, 'best-val-accuracy.json'), 'step_5');
  expect((await inspect(root)).out).toMatch(/step_5 .* best-val-accuracy {2}/);
  renameSync(dir, join(root, 'checkpoints-on-accuracy'));
  const { code, out } = await inspect(root);
  expect([code, out.includes('step_10')]).toEqual([0, true]);
});

test('no folder and no file steers the terminal, or fakes a line', async () => {
  const { root, dir } = await twoCheckpoints();
  renameSync(join(dir, 'step_5'), join(dir, 'step\u001b[31m\n  Good: all of it'));
  for (const flags of [[], ['--json']]) {
    const { out } = await inspect(root, ...flags);
    expect(out).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(out.match(/^ +Good:/gm) ?? []).toHaveLength(flags.length === 0 ? 1 : 0);
  }
  expect(JSON.parse((await inspect(root, '--json')).out).checkpoints[0].name).toContain('\u001b');
});
