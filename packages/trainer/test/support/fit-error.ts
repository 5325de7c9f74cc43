import type { HooklineError } from '@hookline/hook-api';
import { errorOf, regression, regressor } from '@hookline/test-support';
import { expect } from 'vitest';
import type { TrainerOptions } from '../../src/index.js';
import { quietTrainer } from './quiet-trainer.js';

/** What fit says to options, none of them checked by the compiler. */
export const fitError = (options: object, fit: object = {}): Promise<HooklineError> =>
  errorOf(() =>
    quietTrainer({ model: regressor(), ...options } as TrainerOptions).fit({
      train: regression(8),
      epochs: 1,
      ...fit,
    } as never),
  );

/** That it has the code, and says each of these. */
export function expectError(error: HooklineError, code: string, ...parts: string[]): void {
  expect(error.code, error.message).toBe(code);
  for (const part of parts) expect(error.message).toContain(part);
}
