import { expect, test } from 'vitest';
import { plateauDetector } from '../src/plateau-detector.js';
import { memoryCheckpoints } from './memory-checkpoints.js';
import { train } from './tiny-training.js';

const standstill = { optimizer: { name: 'sgd', lr: 1e-9 } } as const;
const plateaus = (said: string[]) => said.filter((line) => line.startsWith('warn plateau-detector'));

test('a loss that stands still for five epochs is a plateau', async () => {
  const { said, logged } = await train([plateauDetector()], { epochs: 6 }, standstill);

  expect(plateaus(said)).toHaveLength(2);
  expect(logged.map(({ step }) => step)).toEqual([40, 48]);
});

test('a loss that falls is none', async () => {
  const { said } = await train([plateauDetector()], { epochs: 6 });

  expect(plateaus(said)).toEqual([]);
});

test('a resumed run remembers the epochs before, a second run does not', async () => {
  const detector = plateauDetector();
  const checkpoints = memoryCheckpoints();
  await train([detector, checkpoints], { epochs: 4 }, standstill);
  const saved = memoryCheckpoints(checkpoints.latest);

  const resumed = await train([plateauDetector(), saved], { epochs: 5, resume: 'auto' }, standstill);
  const again = await train([detector], { epochs: 4 }, standstill);

  expect(resumed.result.history).toHaveLength(1);
  expect(plateaus(resumed.said)).toHaveLength(1);
  expect(plateaus(again.said)).toEqual([]);
});
