import { expect, test } from 'vitest';
import { DebugNan } from '../src/debug-nan.js';
import { brokenData, train } from './tiny-training.js';

test('the first NaN stops the run, and the gradients that hold it are named', async () => {
  const { result } = await train([new DebugNan()], { train: brokenData(64) });

  expect(result.status).toBe('stopped');
  expect(result.stopReason).toBe(
    'NaN in the gradients of encoder/kernel, encoder/bias, head/kernel, head/bias',
  );
});

test('a healthy run is left alone', async () => {
  const { weights, result } = await train([new DebugNan()]);

  expect(result.status).toBe('completed');
  expect(weights).toEqual((await train([])).weights);
});

test('shapes of each batch are logged on request', async () => {
  const { said, result } = await train([new DebugNan({ shapes: true })], { epochs: 1 });

  expect(said.filter((line) => line.includes('debug-nan'))).toHaveLength(8);
  expect(said).toContain('info debug-nan: Batch 0: xs [8,2], ys [8,1]');
  expect(result.status).toBe('completed');
});
