import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openFolder, readPointer, verifyFolder } from '@hookline/safetensors/node';
import { someOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { lossesOf, project, trainInProcess } from '../proof/child.js';
import type { CheckpointInfo } from '../src/index.js';

// The proofs do this for every optimizer, on cpu and wasm, and at every event.
test('a process that is killed or interrupted and started again ends with the bits of one that was not', async () => {
  const [straight, broken] = [project(), project()];
  const [whole, killed] = await Promise.all([
    trainInProcess(straight),
    trainInProcess({ ...broken, killAt: 'step 5' }),
  ]);
  expect(killed.signal).toBe('SIGKILL');
  const resumed = await trainInProcess(broken);
  expect(resumed.errors).toBe('');
  expect(lossesOf(broken)).toEqual(lossesOf(straight));
  expect(resumed.trained!.weights).toBe(whole.trained!.weights);

  // Ctrl-C, and `kill`: the step is finished and saved, whatever the cadence.
  for (const signal of someOf(['SIGINT', 'SIGTERM'] as const, 1)) {
    const interrupted = project({ checkpoint: { every: { epochs: 100 } } });
    const stopped = await trainInProcess({ ...interrupted, signalAt: { step: 5, signal } });
    expect(stopped.trained).toMatchObject({ status: 'stopped', stopReason: signal });
    expect(stopped.saved.map((path) => basename(path))).toEqual(['epoch_2_step_5']);
    const continued = await trainInProcess(interrupted);
    expect(lossesOf(interrupted)).toEqual(lossesOf(straight));
    expect(continued.trained!.weights).toBe(whole.trained!.weights);
  }
});

test('killed while it saves, again and again, a run keeps the best by each of two metrics', async () => {
  const monitor = ['val/loss', { metric: 'proof/worst', mode: 'max', saveTopK: 1 }] as const;
  const training = project({ epochs: 1000, checkpoint: { monitor, every: { epochs: 1 }, saveTopK: 1 } });
  const best: Record<string, number> = {};
  for (const seen of someOf([3, 5, 8], 2)) {
    const killed = await trainInProcess({ ...training, strike: { seen, milliseconds: 2 } });
    expect(killed, killed.errors).toMatchObject({ signal: 'SIGKILL', errors: '' });
    const runs = readdirSync(join(training.root, 'runs')).map((id) => join(training.root, 'runs', id));
    const dir = runs.map((run) => join(run, 'checkpoints')).find((each) => existsSync(each))!;
    for (const [pointer, index] of [
      ['best', 0],
      ['best-proof-worst', 1],
    ] as const) {
      const name = await readPointer(join(dir, `${pointer}.json`));
      if (name === undefined) continue; // killed before the first was complete
      const path = join(dir, String(name));
      expect(await verifyFolder(path)).toMatchObject({ ok: true });
      const { ratings } = (await openFolder(path)).manifest.info as CheckpointInfo;
      const { value, mode } = ratings![index]!;
      const worth = mode === 'max' ? value : -value;
      expect(worth).toBeGreaterThanOrEqual(best[pointer] ?? -Infinity);
      best[pointer] = worth;
    }
  }
  // Otherwise nothing was proved.
  expect(Object.keys(best)).toEqual(['best', 'best-proof-worst']);
});
