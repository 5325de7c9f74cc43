import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { lossesOf, project, trainInProcess } from '../proof/child.js';

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
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const interrupted = project({ checkpoint: { every: { epochs: 100 } } });
    const stopped = await trainInProcess({ ...interrupted, signalAt: { step: 5, signal } });
    expect(stopped.trained).toMatchObject({ status: 'stopped', stopReason: signal });
    expect(stopped.saved.map((path) => basename(path))).toEqual(['epoch_2_step_5']);
    const continued = await trainInProcess(interrupted);
    expect(lossesOf(interrupted)).toEqual(lossesOf(straight));
    expect(continued.trained!.weights).toBe(whole.trained!.weights);
  }
}, 90_000);
