import type { HookContext } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { aboutRun } from '../../src/message/about-run.js';

const ctx = {
  run: { id: 'x', configHash: 'h', gitCommit: 'c' },
  state: { epoch: 1, step: 2 },
} as HookContext;
const about = (metrics: Record<string, number>) => aboutRun(ctx, 'end', 'completed.', metrics, 'val/loss');

test('the monitored metric comes first, then those of training and validation, then the others', () => {
  const { text } = about({ 'grad/norm': 3, 'train/loss': 2, 'val/loss': 1 });
  expect(text).toBe('Run x completed.\nval/loss 1, train/loss 2, grad/norm 3');
});

test('the text names eight metrics and counts the rest, which are all in the data', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`grad/norm/dense_${i}`, i]));
  const { text, metrics } = about({ ...many, 'val/loss': 1 });
  expect(text).toMatch(/^Run x completed\.\nval\/loss 1, grad\/norm\/dense_0 0, .*dense_6 6, and 33 more$/);
  expect(Object.keys(metrics)).toHaveLength(41);
});
