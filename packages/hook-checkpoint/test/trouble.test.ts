import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hook, HookContext } from '@hookline/hook-api';
import { commitFolder, verifyFolder } from '@hookline/safetensors/node';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { spaceProblem } from '../src/folder/preflight.js';
import { contents, type Outcome, run } from './fixture.js';

/** Does something once, at the start of an epoch. */
function inEpoch(epoch: number, action: (ctx: HookContext) => unknown): Hook {
  return {
    name: 'trouble',
    onError: 'fail',
    onEpochStart: async (ctx, event) => {
      if (event.epoch === epoch) await action(ctx);
    },
  };
}

test('a second run in the same folder is refused before it trains, and the first continues', async () => {
  const root = tempFolder();
  const dir = join(root, 'shared');
  let second: Promise<Outcome> | undefined;
  const begin = inEpoch(1, async () => {
    second = run(root, { checkpoint: { dir } });
    await second.catch(() => {});
  });
  const { result } = await run(root, { checkpoint: { dir }, hooks: [begin] });
  await expect(second).rejects.toThrow(
    /Another run is saving its checkpoints in the same folder.*in use by process/,
  );
  expect(result.status).toBe('completed');
  expect(contents(dir).checkpoints).toHaveLength(3);
  // The lock is gone with the run.
  expect((await run(root, { checkpoint: { dir } })).result.status).toBe('completed');
});

test('resume: "auto" does not take a run away from the process that is training it', async () => {
  const root = tempFolder();
  let second: Outcome | undefined;
  const begin = inEpoch(1, async () => {
    second = await run(root, { fit: { resume: 'auto' } });
  });
  const first = await run(root, { hooks: [begin] });
  expect(second!.result.history).toHaveLength(3);
  expect(second!.warnings.join()).toMatch(/Skipped the checkpoints in .*in use by process/);
  expect(first.result.status).toBe('completed');
});

test('a folder that cannot be written to is an error before the first batch, with what to do', async () => {
  const root = tempFolder();
  writeFileSync(join(root, 'file'), '');
  let batches = 0;
  const counter: Hook = { name: 'counter', onTrainBatchStart: () => void batches++ };
  const failing = run(root, { checkpoint: { dir: join(root, 'file', 'inside') }, hooks: [counter] });
  await expect(failing).rejects.toThrow(/cannot be written to .*inside.*another folder with "dir"/);
  expect(batches).toBe(0);
});

test('what a killed process left half-written is cleared before the first batch, and nothing else', async () => {
  const root = tempFolder();
  const dir = join(root, 'c');
  const living = await nameInTheMaking(root);
  // The same number, but a process that began at another time: it is dead.
  const dead = living.replace(/-(\d+)(-[^-]+)$/, (_, start, rest) => `-${Number(start) + 1}${rest}`);
  for (const name of [dead, '.tmp-mine']) {
    mkdirSync(join(dir, name), { recursive: true });
    writeFileSync(join(dir, name, 'model.safetensors'), 'half');
  }
  let there: string[] = [];
  const looking: Hook = {
    name: 'looking',
    onTrainBatchStart: () => {
      there = readdirSync(dir).filter((name) => name.startsWith('.tmp-'));
    },
  };
  const { said } = await run(root, { checkpoint: { dir }, hooks: [looking], fit: { epochs: 1 } });
  expect(there).toEqual(['.tmp-mine']);
  expect(said.map(({ message }) => message)).toContain(`Cleared 1 unfinished checkpoints in ${dir}.`);
});

test('what a run left that was killed in its first save is cleared by the next run, though it has another folder', async () => {
  const root = tempFolder();
  const living = await nameInTheMaking(root);
  const dead = living.replace(/-(\d+)(-[^-]+)$/, (_, start, rest) => `-${Number(start) + 1}${rest}`);
  const killed = join(root, 'runs', '20260101-000000-abcdef', 'checkpoints');
  for (const name of [dead, living, '.tmp-mine']) mkdirSync(join(killed, name), { recursive: true });
  await run(root, { fit: { epochs: 1 } });
  expect(readdirSync(killed).sort()).toEqual(['.tmp-mine', living].sort());
});

test('a run that could not save anything has trained, but does not pass for a success', async () => {
  const root = tempFolder();
  const dir = join(root, 'c');
  const block = inEpoch(0, () => {
    rmSync(dir, { recursive: true });
    writeFileSync(dir, '');
  });
  const { result, said } = await run(root, {
    checkpoint: { dir },
    hooks: [block],
    trainer: { signals: false },
  });
  expect(result).toMatchObject({
    status: 'completed',
    exitCode: 1,
    failure: expect.stringContaining('Every attempt to save failed'),
  });
  expect(said.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('the space that is left is compared with what the checkpoints will take', async () => {
  const dir = tempFolder();
  const of = (size: number) => ({ parameters: { kernel: { size } } }) as never as HookContext['state'];
  const { bavail, bsize } = await statfs(dir);
  const free = bavail * bsize;
  expect(await spaceProblem(dir, of(1000), 5)).toBeUndefined();
  // Weights of 4 bytes and two slots of an optimizer: one fits, five do not.
  expect(await spaceProblem(dir, of(free / 12 / 3), 5)).toMatchObject({
    isFatal: false,
    message: expect.stringMatching(/a checkpoint takes about .* MB, and up to 5 may exist at the same time/),
  });
  expect(await spaceProblem(dir, of(free / 6), 1)).toMatchObject({ isFatal: true });
});

test('a folder that vanishes is created again, and the run continues', async () => {
  const root = tempFolder();
  const dir = join(root, 'c');
  const remove = inEpoch(1, () => rmSync(dir, { recursive: true }));
  const { result, warnings } = await run(root, { checkpoint: { dir }, hooks: [remove] });
  expect(result.status).toBe('completed');
  expect(warnings.join()).toContain('was removed while the run was using it');
  expect(contents(dir)).toEqual({
    checkpoints: ['epoch_2_step_10', 'epoch_3_step_15'],
    files: ['best.json', 'ended.json', 'last.json'],
  });
});

test('a checkpoint that somebody removed is no longer counted, whichever it was', async () => {
  const root = tempFolder();
  const dir = join(root, 'c');
  const remove = inEpoch(2, () => rmSync(join(dir, 'epoch_2_step_10'), { recursive: true }));
  const { result, warnings } = await run(root, { checkpoint: { dir, saveTopK: 1 }, hooks: [remove] });
  expect(result.status).toBe('completed');
  expect(warnings).toEqual([]);
  for (const name of contents(dir).checkpoints) expect((await verifyFolder(join(dir, name))).ok).toBe(true);
});

test('when nothing can be written any more, the run continues or stops, as onDiskFull says', async () => {
  const root = tempFolder();
  const break_ = (dir: string) =>
    inEpoch(1, () => {
      rmSync(dir, { recursive: true });
      writeFileSync(dir, 'a file where the folder should be');
    });
  const going = join(root, 'going');
  const goesOn = await run(root, { checkpoint: { dir: going }, hooks: [break_(going)] });
  expect(goesOn.result.status).toBe('completed');
  expect(
    goesOn.warnings.filter((line) => line.startsWith('A checkpoint could not be saved')).length,
  ).toBeGreaterThan(1);
  expect(goesOn.weights).toEqual((await run(tempFolder())).weights);

  const stopping = join(root, 'stopping');
  const stops = await run(root, {
    checkpoint: { dir: stopping, onDiskFull: 'stop' },
    hooks: [break_(stopping)],
  });
  const reason = expect.stringMatching(/^checkpoint: .* while saving/);
  expect(stops.result).toMatchObject({ status: 'stopped', stopReason: reason, exitCode: 1, failure: reason });
  expect(stops.result.history).toHaveLength(2);
  expect(stops.warnings.filter((line) => line.includes('could not be saved'))).toHaveLength(1);
});

test('what is not a checkpoint is left alone, even where one would be looked for', async () => {
  const root = tempFolder();
  const dir = join(root, 'c');
  mkdirSync(join(dir, 'my-notes'), { recursive: true });
  writeFileSync(join(dir, 'my-notes', 'notes.txt'), 'mine');
  await run(root, { checkpoint: { dir, saveTopK: 1 }, fit: { epochs: 4 } });
  expect(existsSync(join(dir, 'my-notes', 'notes.txt'))).toBe(true);
});

/** The name of a checkpoint of this process while it is being written. */
async function nameInTheMaking(folder: string): Promise<string> {
  let names: string[] = [];
  await commitFolder(join(folder, 'x'), async () => {
    names = readdirSync(folder).filter((name) => name.startsWith('.tmp-'));
  });
  return names[0]!;
}
