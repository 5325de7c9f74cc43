import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostTensor, Snapshot } from '@hookline/hook-api';
import { commitFolder } from '@hookline/safetensors/node';
import { errorOf, tempFolder } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import { listCheckpoints } from '../src/folder/checkpoint-folder.js';
import type { CheckpointInfo } from '../src/folder/checkpoint-info.js';
import { fieldsOf, filesOf } from '../src/format/snapshot-files.js';
import { readSnapshot } from '../src/index.js';
import { memoryOf, type SaveJob } from '../src/save/save-job.js';
import { failureOf } from '../src/save/save-outcome.js';
import { writeCheckpoint } from '../src/save/write-checkpoint.js';

const INFO: CheckpointInfo = {
  ...{ kind: 'hookline-checkpoint', version: 1, sequence: 1, lineage: 'a', run: 'a', experiment: 'e' },
  ...{ savedAt: '', reason: 'test', epoch: 0, completedEpochs: 0, step: 1, metrics: {} },
  ...{ format: 'safetensors', fields: { version: 1 } },
};

const floats = (...values: number[]): HostTensor => ({
  dtype: 'float32',
  shape: [values.length],
  data: Float32Array.from(values),
});

function jobOf(target: string, snapshot: Snapshot, changes: Partial<SaveJob> = {}): SaveJob {
  const files = filesOf(snapshot, undefined, undefined);
  return { target, files, info: { ...INFO, fields: fieldsOf(snapshot) }, finite: {}, ...changes };
}

describe('what is saved comes back', () => {
  test('every group of tensors and every other field, also those of a later version', async () => {
    const path = join(tempFolder(), 'c');
    const snapshot = {
      version: 1,
      model: { 'out/kernel': floats(1, 2) },
      optimizer: { 'adam/m': floats(3) },
      laterGroup: { 'some/tensor': floats(4) },
      laterField: { of: ['any', 'kind'] },
    } as Snapshot;
    expect(await writeCheckpoint(jobOf(path, snapshot))).toMatchObject({ ok: true });
    expect(await readSnapshot(path)).toEqual(snapshot);
  });

  test('-0, subnormal numbers and the bits of frozen infinities', async () => {
    const path = join(tempFolder(), 'c');
    const snapshot: Snapshot = { version: 1, model: { mask: floats(-0, 1e-45, -Infinity, Number.NaN) } };
    await writeCheckpoint(jobOf(path, snapshot));
    expect((await readSnapshot(path)).model.mask).toEqual(snapshot.model.mask);
  });
});

describe('readSnapshot refuses', () => {
  test('a folder that is not there, and one without a manifest', async () => {
    const root = tempFolder();
    expect((await errorOf(readSnapshot(join(root, 'nowhere')))).message).toContain('nowhere');
    mkdirSync(join(root, 'empty'));
    expect((await errorOf(readSnapshot(join(root, 'empty')))).message).toContain('manifest.json');
  });

  test('a folder whose manifest describes something else', async () => {
    const path = join(tempFolder(), 'other');
    await commitFolder(path, (folder) => folder.write('notes.txt', 'mine'), { info: { kind: 'notes' } });
    const { code, message } = await errorOf(readSnapshot(path));
    expect(code).toBe('NOT_A_CHECKPOINT');
    expect(message).toMatch(/other" is not a checkpoint: its manifest.json describes something else/);
  });

  test('a tensor of a type that tfjs does not have', async () => {
    const path = join(tempFolder(), 'double');
    const tensors = new Map([['x', { dtype: 'F64' as const, shape: [1], data: Float64Array.of(1) }]]);
    await commitFolder(path, (folder) => folder.writeSafetensors('model.safetensors', tensors), {
      info: INFO,
    });
    const { code, message } = await errorOf(readSnapshot(path));
    expect(code).toBe('NOT_A_CHECKPOINT');
    expect(message).toMatch(/"x" in model.safetensors .* has the type F64/);
  });
});

describe('a save that fails', () => {
  test('because weights are not finite names the first of them, and writes nothing', async () => {
    const root = tempFolder();
    const weights = { good: floats(1, 2), bad: floats(1, 2, Infinity) };
    const job = jobOf(join(root, 'c'), { version: 1, model: weights }, { finite: weights });
    expect(await writeCheckpoint(job)).toEqual({
      ok: false,
      failure: { kind: 'weights', message: '"bad" has Infinity at 2' },
    });
    expect((await errorOf(readSnapshot(join(root, 'c')))).message).toContain('manifest.json');
  });

  test('because of the place says what the system calls it', async () => {
    const root = tempFolder();
    writeFileSync(join(root, 'file'), '');
    const outcome = await writeCheckpoint(jobOf(join(root, 'file', 'c'), { version: 1, model: {} }));
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'disk', code: 'ENOTDIR' } });
  });

  test('because something is there already leaves it as it is', async () => {
    const path = join(tempFolder(), 'c');
    const first: Snapshot = { version: 1, model: { x: floats(1) } };
    await writeCheckpoint(jobOf(path, first));
    const second = await writeCheckpoint(jobOf(path, { version: 1, model: { x: floats(2) } }));
    expect(second).toMatchObject({ ok: false, failure: { kind: 'disk' } });
    expect(await readSnapshot(path)).toEqual(first);
  });

  test('because of a mistake in the code is not taken for a disk that fails', () => {
    expect(failureOf(new TypeError('x is not a function'))).toMatchObject({ kind: 'bug' });
    const full = Object.assign(new Error('no space'), { errno: -28, code: 'ENOSPC' });
    expect(failureOf(full)).toMatchObject({ kind: 'disk', code: 'ENOSPC' });
    expect(failureOf(new Error('while writing', { cause: full }))).toMatchObject({ code: 'ENOSPC' });
  });
});

test('memory that others may use is copied to the thread, and only what nobody else uses is transferred', () => {
  const own = floats(1, 2);
  const part: HostTensor = { dtype: 'float32', shape: [1], data: new Float32Array(2).subarray(1) };
  const shared: HostTensor = {
    ...{ dtype: 'float32', shape: [1] },
    data: new Float32Array(new SharedArrayBuffer(4)),
  };
  const model = { own, again: own, part, shared };
  expect(memoryOf(jobOf('c', { version: 1, model }))).toEqual([own.data.buffer]);
});

test('a folder lists its checkpoints with the newest first, what is damaged with the reason, and nothing else', async () => {
  const dir = tempFolder({
    'best.json': '{}',
    '.tmp-a/model.safetensors': 'half',
    'cut/model.safetensors': '',
  });
  for (const [name, sequence] of Object.entries({ old: 1, newest: 3, middle: 2 })) {
    const info = { ...INFO, sequence };
    await writeCheckpoint(jobOf(join(dir, name), { version: 1, model: {} }, { info }));
  }
  const later = { ...INFO, version: 2 };
  await commitFolder(join(dir, 'later'), (folder) => folder.write('x', ''), { info: { ...later } });
  const { entries, damaged } = await listCheckpoints(dir);
  expect(entries.map(({ name }) => name)).toEqual(['newest', 'middle', 'old']);
  expect(damaged).toEqual([{ path: join(dir, 'cut'), reason: expect.stringContaining('manifest.json') }]);
  expect(await listCheckpoints(join(dir, 'nowhere'))).toEqual({ entries: [], damaged: [] });
});
