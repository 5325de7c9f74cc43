import { expect, test } from 'vitest';
import { gradientMonitor } from '../src/index.js';

test('it only observes: no event of it can change what is trained', () => {
  const events = Object.keys(gradientMonitor()).filter((name) => /^(on|transform)[A-Z]/.test(name));
  expect(events).toEqual(['onGradientsReady', 'onAfterOptimizerStep']);
});
