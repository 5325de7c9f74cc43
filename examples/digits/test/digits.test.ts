import { expect, test } from 'vitest';
import { loadDigits } from '../src/load-digits.js';
import { trainBriefly } from './train-briefly.js';

// That fifteen epochs teach it 98 of 100 is in proof/digits.proof.ts.
test('five epochs teach it 95 of 100 digits that it has never seen', async () => {
  const { trainer, history } = await trainBriefly({ epochs: 5 });
  const { 'test/accuracy': accuracy } = await trainer.test({ data: loadDigits().test });

  expect(history.at(-1)!['train/loss']!).toBeLessThan(history[0]!['train/loss']! / 3);
  expect(accuracy).toBeGreaterThanOrEqual(0.95);
});

test('two runs with one seed have the same losses to the last bit, and another seed has others', async () => {
  const { history } = await trainBriefly({ epochs: 1 });

  expect((await trainBriefly({ epochs: 1 })).history).toEqual(history);
  const { history: other } = await trainBriefly({ seed: 2, epochs: 1 });
  expect(other[0]!['train/loss']).not.toBe(history[0]!['train/loss']);
});
