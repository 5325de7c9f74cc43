import { useBackend } from '@hookline/test-support';
import { beforeAll, describe, expect, test } from 'vitest';
import { drive, GRADIENTS } from './drive.js';

const steps = GRADIENTS.slice(0, 10);

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  beforeAll(() => useBackend(backend));

  test('the update uses the product of lr and lrScale', () => {
    const expected = drive({ name: 'adam', lr: 0.02 });
    expected.step(steps);
    const scaled = drive({ name: 'adam', lr: 123 });
    Object.assign(scaled.optimizer.view.groups[0]!, { lr: 0.005, lrScale: 4 });
    scaled.step(steps);
    expect(scaled.values()).toEqual(expected.values());
  });

  test('momentum and weight decay can be changed on the view', () => {
    const expected = drive({ name: 'sgd', lr: 0.02, momentum: 0.5, weightDecay: 0.1 });
    expected.step(steps);
    const changed = drive({ name: 'sgd', lr: 0.02, momentum: 0.9, weightDecay: 0.3 });
    Object.assign(changed.optimizer.view.groups[0]!, { momentum: 0.5, weightDecay: 0.1 });
    changed.step(steps);
    expect(changed.values()).toEqual(expected.values());
  });
});
