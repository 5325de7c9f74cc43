import { collectingLogger, itOn, type LogLine, TEST_BACKEND, tempFolder } from '@hookline/test-support';
import { Trainer, type TrainerOptions } from '@hookline/trainer';
import { expect } from 'vitest';
import { debug, replay } from '../src/index.js';
import { chain } from './chain.js';

itOn('webgpu')('the first bad layer is found on the device, and replayed', async () => {
  const lines: LogLine[] = [];
  const runsDir = tempFolder();
  const trainer = new Trainer({
    ...{ model: chain([1, 3e38, 1]), loss: 'meanSquaredError', hooks: [debug()], nonFiniteLoss: 'warn' },
    ...{ backend: TEST_BACKEND, runsDir, discover: false, logger: collectingLogger(lines) },
  } as TrainerOptions);
  await trainer.fit({ train: { xs: [[10]], ys: [[1]] }, epochs: 1 });
  const { fields } = lines.find(({ fields }) => fields.hook === 'debug')!;
  expect(fields.layer).toBe('second');
  const report = await replay(fields.bundle as string, { model: chain() });
  expect(report).toMatchObject({ bad: true, firstBadLayer: 'second' });
});
