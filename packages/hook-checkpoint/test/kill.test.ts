import { expect, test } from 'vitest';
import { lossesOf, project, trainInProcess } from '../proof/child.js';

// The proofs do this for every optimizer, on cpu and wasm, and at every event.
test('a process that is killed with SIGKILL and started again ends with the bits of one that was not', async () => {
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
}, 90_000);
