import type { HooklineError } from '@hookline/hook-api';
import { errorOf, regression, regressor, TEST_BACKEND } from '@hookline/test-support';
import { beforeAll, describe, expect, test } from 'vitest';
import { selectBackend } from '../../src/index.js';
import { expectError, fitError } from '../support/fit-error.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const data = regression(8);

describe('what cannot be done now', () => {
  test('fit while fitting', async () => {
    const trainer = quietTrainer({ model: regressor() });
    const first = trainer.fit({ train: data, epochs: 3 });
    const second = await errorOf(trainer.fit({ train: data, epochs: 1 }));
    expectError(second, 'BUSY', 'fit already', 'Await it first');
    expect((await first).history).toHaveLength(3);
    expect((await trainer.fit({ train: data, epochs: 1 })).status).toBe('completed');
  });

  test('evaluating from inside a run', async () => {
    let error: HooklineError | undefined;
    const trainer = quietTrainer({
      model: regressor(),
      hooks: [
        {
          name: 'impatient',
          onEpochEnd: async () => {
            error = await errorOf(trainer.validate({ data }));
          },
        },
      ],
    });
    await trainer.fit({ train: data, epochs: 1 });
    expectError(error!, 'BUSY');
  });

  test('resume when no hook has checkpoints names what to install', async () => {
    expectError(
      await fitError({}, { resume: 'auto' }),
      'NO_CHECKPOINTS',
      'resume: "auto"',
      'npm install @hookline/hook-checkpoint',
    );
  });
});
