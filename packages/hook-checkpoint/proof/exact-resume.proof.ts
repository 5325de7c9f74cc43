import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openFolder, readPointer } from '@hookline/safetensors/node';
import { describe, expect, test } from 'vitest';
import type { CheckpointInfo } from '../src/index.js';
import { lossesOf, project, trainInProcess } from './child.js';
import type { Training } from './train.js';

const OPTIMIZERS: Record<string, Training['optimizer']> = {
  sgd: { name: 'sgd', lr: 0.05 },
  nesterov: { name: 'sgd', lr: 0.02, momentum: 0.9, nesterov: true },
  adam: { name: 'adam', lr: 0.02 },
  adamw: { name: 'adamw', lr: 0.02, weightDecay: 0.01 },
  rmsprop: { name: 'rmsprop', lr: 0.01, momentum: 0.5, centered: true },
  adagrad: { name: 'adagrad', lr: 0.05 },
  adadelta: { name: 'adadelta', lr: 1 },
  lion: { name: 'lion', lr: 0.005 },
  several: [
    { name: 'adam', lr: 0.02, params: 'hidden/*' },
    { name: 'sgd', lr: 0.05, momentum: 0.9, params: ['out/*', 'norm/*'] },
  ],
};

/** The middle of an epoch of 3 steps. */
const KILLED_AT = 8;

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  test.each(Object.entries(OPTIMIZERS))(
    'with %s, 18 steps are the same to the bit as 8, SIGKILL, and 10 more',
    async (_name, optimizer) => {
      const training = { backend, optimizer, epochs: 6, checkpoint: { every: { steps: 2 }, saveTopK: 2 } };
      const straight = project(training);
      const broken = project(training);
      const [whole, killed] = await Promise.all([
        trainInProcess(straight),
        trainInProcess({ ...broken, killAt: `step ${KILLED_AT}` }),
      ]);
      expect(killed.signal).toBe('SIGKILL');
      const resumed = await trainInProcess(broken);
      expect(resumed.errors).toBe('');
      expect(lossesOf(broken)).toEqual(lossesOf(straight));
      expect(resumed.trained!.weights).toBe(whole.trained!.weights);
      expect(resumed.trained!.metrics['val/loss']).toBe(whole.trained!.metrics['val/loss']);
      expect(await keptIn(broken)).toEqual(await keptIn(straight));
    },
  );
});

test('killed at every event of an epoch in turn, it ends with the same bits', async () => {
  const listing = await trainInProcess(project({ listEventsOf: 1 }));
  // A checkpoint is announced when it is complete, which can be a step earlier or later.
  const events = [...new Set(listing.trained!.events)].filter((key) => !key.startsWith('onCheckpointSave'));
  const straight = project();
  const whole = await trainInProcess(straight);
  console.log(`killed at ${events.length} events in turn`);
  expect(events.length).toBeGreaterThan(40);
  expect(new Set(events.map((key) => key.split(' ')[0])).size).toBeGreaterThan(12);

  const half = Math.ceil(events.length / 2);
  await Promise.all(
    [events.slice(0, half), events.slice(half)].map(async (moments) => {
      // One run, which is killed again and again: each process resumes what the one before it left.
      const broken = project();
      for (const killAt of moments) {
        const killed = await trainInProcess({ ...broken, killAt });
        expect(killed, `${killAt}: ${killed.errors}`).toMatchObject({ signal: 'SIGKILL' });
      }
      const resumed = await trainInProcess(broken);
      expect(resumed.errors).toBe('');
      expect(lossesOf(broken)).toEqual(lossesOf(straight));
      expect(resumed.trained!.weights).toBe(whole.trained!.weights);
      expect(await bestIn(broken)).toEqual(await bestIn(straight));
    }),
  );
});

/** The best and the last, and what they are worth; not the one that was resumed from, which stays as well. */
async function keptIn({ root }: Training): Promise<unknown> {
  const { dir, best } = await bestOf(root);
  const last = await infoOf(join(dir, String(await readPointer(join(dir, 'last.json')))));
  return { best, last };
}

async function bestIn({ root }: Training): Promise<unknown> {
  return (await bestOf(root)).best;
}

async function bestOf(root: string): Promise<{ dir: string; best: unknown }> {
  const runs = readdirSync(join(root, 'runs'));
  const dirs = runs.map((id) => join(root, 'runs', id, 'checkpoints')).filter(holdsCheckpoints);
  // All processes have saved to the folder of the first.
  expect(dirs).toHaveLength(1);
  const [dir] = dirs as [string];
  return { dir, best: await infoOf(join(dir, String(await readPointer(join(dir, 'best.json'))))) };
}

function holdsCheckpoints(dir: string): boolean {
  try {
    return readdirSync(dir).includes('last.json');
  } catch {
    return false;
  }
}

async function infoOf(path: string): Promise<Pick<CheckpointInfo, 'step' | 'epoch' | 'rating'>> {
  const { step, epoch, rating } = (await openFolder(path)).manifest.info as CheckpointInfo;
  return { step, epoch, ...(rating && { rating }) };
}
