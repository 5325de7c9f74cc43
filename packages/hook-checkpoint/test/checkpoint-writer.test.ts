import type { HookLogger } from '@hookline/hook-api';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { CheckpointWriter } from '../src/save/checkpoint-writer.js';
import { memoryOf, type SaveJob } from '../src/save/save-job.js';
import type { SaveThread } from '../src/save/save-thread.js';
import { writeCheckpoint } from '../src/save/write-checkpoint.js';

test('a few small checkpoints start no thread: it would take longer to start than they take to write', async () => {
  expect(await threadsAfter({ saves: 8, megabytes: 0 })).toBe(0);
  expect(await threadsAfter({ saves: 3, megabytes: 3 })).toBe(0);
});

test('a run that saves often, or much, has a thread from then on, and only one', async () => {
  expect(await threadsAfter({ saves: 20, megabytes: 0 })).toBe(1);
  expect(await threadsAfter({ saves: 6, megabytes: 3 })).toBe(1);
  expect(await threadsAfter({ saves: 1, megabytes: 16 })).toBe(1);
});

test('without async no thread is started, however much there is to write', async () => {
  expect(await threadsAfter({ saves: 2, megabytes: 16, isAsync: false })).toBe(0);
});

test('what was written is given back at once, without a thread too: nobody waits for a garbage collection', async () => {
  const writer = new CheckpointWriter(true, {} as HookLogger);
  const job = jobOf(`${tempFolder()}/save`, 1);
  expect(memoryOf(job).map(({ byteLength }) => byteLength)).toEqual([2 ** 20]);
  expect(await writer.write(job)).toMatchObject({ ok: true });
  expect(memoryOf(job).map(({ byteLength }) => byteLength)).toEqual([0]);
  await writer.close();
});

/** How many threads are started by a run that saves so often, so many megabytes each time. */
async function threadsAfter(run: { saves: number; megabytes: number; isAsync?: boolean }): Promise<number> {
  let threads = 0;
  const start = async (): Promise<SaveThread> => {
    threads++;
    return { write: writeCheckpoint, end: async () => {} };
  };
  const writer = new CheckpointWriter(run.isAsync ?? true, {} as HookLogger, start);
  const folder = tempFolder();
  for (let save = 0; save < run.saves; save++) {
    expect(await writer.write(jobOf(`${folder}/save-${save}`, run.megabytes))).toMatchObject({ ok: true });
  }
  await writer.close();
  return threads;
}

function jobOf(target: string, megabytes: number): SaveJob {
  const data = new Float32Array(megabytes * 2 ** 18);
  const tensors = { weights: { dtype: 'float32', shape: [data.length], data } } as const;
  return { target, files: [{ name: 'model.safetensors', tensors }], info: {} as SaveJob['info'], finite: {} };
}
