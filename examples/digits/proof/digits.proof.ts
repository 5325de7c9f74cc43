import { expect, test } from 'vitest';
import { loadDigits } from '../src/load-digits.js';
import { trainBriefly } from '../test/train-briefly.js';

test('fifteen epochs teach it 98 of 100 digits that it has never seen', async () => {
  const { trainer, history } = await trainBriefly({ epochs: 15 });
  const { 'test/accuracy': accuracy } = await trainer.test({ data: loadDigits().test });

  expect(history.at(-1)!['train/loss']!).toBeLessThan(history[0]!['train/loss']! / 10);
  expect(accuracy).toBeGreaterThanOrEqual(0.98);
});
