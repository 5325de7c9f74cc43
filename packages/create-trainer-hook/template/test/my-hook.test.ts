import { drivenHook } from '@hookline/hook-testkit';
import { expect, test } from 'vitest';
import { myHook } from '../src/index.js';

const batch = (loss: number) => ({ loss, skipped: false, metrics: {}, batchIndex: 0 }) as never;

test('the average follows the loss at the pace of smoothing', async () => {
  const { fire, values } = drivenHook(myHook({ smoothing: 0.5 }));
  await fire('setup', { stage: 'fit' });
  for (const loss of [4, 2, 1]) await fire('onTrainBatchEnd', batch(loss));
  expect(values).toEqual([{ 'my-hook/loss': 4 }, { 'my-hook/loss': 3 }, { 'my-hook/loss': 2 }]);
});

test('a mistyped option is reported with the nearest name', () => {
  expect(() => myHook({ smooting: 0.5 } as never)).toThrow('Did you mean "smoothing"?');
});
