import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { verifyFolder } from '@hookline/safetensors/node';
import { tempFolder } from '@hookline/test-support';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CheckpointOptions } from '../src/index.js';
import { contents, type Outcome, run } from '../test/fixture.js';

/** 300 kB with the state of the optimizer. */
const wide = () =>
  tfl.sequential({
    layers: [
      tfl.layers.dense({ units: 5000, inputShape: [3], activation: 'tanh' }),
      tfl.layers.dense({ units: 1 }),
    ],
  });

// Only root can mount a file system.
describe.runIf(canMount())('on a disk of one megabyte', () => {
  const train = (dir: string, checkpoint: CheckpointOptions, hooks: Hook[] = []): Promise<Outcome> =>
    run(tempFolder(), {
      checkpoint: { dir: join(dir, 'c'), filename: '{epoch}', ...checkpoint },
      trainer: { model: wide },
      hooks,
      fit: { epochs: 6 },
    });

  test('that fills up, the run continues, and earlier checkpoints stay good', async () => {
    const dir = smallDisk();
    const { result, warnings } = await train(dir, { saveTopK: -1 });
    expect(result.status).toBe('completed');
    expect(warnings.join('\n')).toMatch(/could not be saved.*ENOSPC/);
    await expectGood(join(dir, 'c'), ['1', '2', '3']);
  });

  test('that fills up, the run stops with onDiskFull: "stop", and is continued when there is room again', async () => {
    const dir = smallDisk();
    const { result } = await train(dir, { saveTopK: -1, onDiskFull: 'stop' });
    expect(result.stopReason).toBe('checkpoint: ENOSPC while saving');
    await expectGood(join(dir, 'c'), ['1', '2', '3']);
    execFileSync('mount', ['-o', 'remount,size=10m', dir]);
    const root = tempFolder();
    const options = { dir: join(dir, 'c'), filename: '{epoch}', saveTopK: -1 };
    const resumed = await run(root, {
      checkpoint: options,
      trainer: { model: wide },
      fit: { epochs: 6, resume: 'auto' },
    });
    expect(resumed.result.history).toHaveLength(3);
    await expectGood(join(dir, 'c'), ['1', '2', '3', '4', '5', '6']);
  });

  test('that becomes read-only, the run continues, and earlier checkpoints stay good', async () => {
    const dir = smallDisk();
    const lock: Hook = {
      name: 'lock',
      onEpochStart: (_ctx, { epoch }) => {
        if (epoch === 2) execFileSync('mount', ['-o', 'remount,ro', dir]);
      },
    };
    const { result, warnings } = await train(dir, {}, [lock]);
    expect(result.status).toBe('completed');
    expect(warnings.join('\n')).toMatch(/There may be no room for all checkpoints/);
    expect(warnings.join('\n')).toMatch(/could not be saved.*EROFS/);
    await expectGood(join(dir, 'c'), ['1', '2']);
  });

  test('without room for one checkpoint, a run that is to stop then does not begin', async () => {
    const dir = smallDisk('128k');
    await expect(train(dir, { onDiskFull: 'stop' })).rejects.toThrow(/no room for a checkpoint/);
  });
});

async function expectGood(dir: string, names: string[]): Promise<void> {
  expect(contents(dir).checkpoints.filter((name) => !name.startsWith('.'))).toEqual(names);
  for (const name of names) expect(await verifyFolder(join(dir, name))).toMatchObject({ ok: true });
  expect(readdirSync(dir)).not.toContainEqual(expect.stringMatching(/^\.tmp-/));
}

function smallDisk(size = '1m'): string {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', dir]);
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}

function canMount(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'hookline-disk-'));
  try {
    mkdirSync(dir, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir], { stdio: 'ignore' });
    execFileSync('umount', [dir]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
