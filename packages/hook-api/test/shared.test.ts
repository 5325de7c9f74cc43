import { expect, test } from 'vitest';
import { HookManager, sharedKey } from '../src/index.js';
import { stepEnd, testRun } from './test-context.js';

test('carries data from one hook to a later one', async () => {
  const quality = sharedKey<number>('data-quality');
  const got: (number | undefined)[] = [];
  const manager = new HookManager();
  manager.add({ name: 'producer', onStepEnd: (ctx) => ctx.shared.set(quality, 0.95) });
  manager.add({ name: 'consumer', onStepEnd: (ctx) => void got.push(ctx.shared.get(quality)) });
  await manager.setup('fit', testRun().contextFor);
  await manager.call('onStepEnd', stepEnd());
  expect(got).toEqual([0.95]);
});
