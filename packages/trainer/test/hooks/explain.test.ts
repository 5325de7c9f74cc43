import { EVENTS } from '@hookline/hook-api';
import { regressor } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

describe('trainer.explain()', () => {
  test('shows every event with the hooks that listen, in their order, teardown reversed', async () => {
    const first = { name: 'first', onStepEnd: () => {}, teardown: () => {} };
    const second = { name: 'second', onStepEnd: () => {}, teardown: () => {} };
    const off = { name: 'off', onStepEnd: () => {} };
    const trainer = quietTrainer({ model: regressor(), hooks: [first, second, [off, false]] });
    const lines = (await trainer.explain()).split('\n');
    expect(lines.map((line) => line.trim().split(/\s+/)[0]).filter((word) => word! in EVENTS)).toEqual(
      Object.keys(EVENTS),
    );
    expect(lines).toContain('      onStepEnd                 first, second');
    expect(lines).toContain('teardown                        second, first');
  });
});
