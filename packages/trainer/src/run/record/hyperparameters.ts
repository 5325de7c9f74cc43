import type { JsonValue } from '@hookline/hook-api';
import { encodeJson } from '@hookline/hook-api/helpers';
import { kindOf, trainerError } from '../../errors.js';

/** What the user's own code varies, such as `{ units: 64, augment: true }`; part of the run's config and of its hash. */
export type Hyperparameters = Readonly<Record<string, JsonValue>>;

/** Refuses what JSON cannot hold: it could neither be read back from the record nor compared. */
export function checkHyperparameters(given: unknown): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw refused('', kindOf(given), 'an object, such as { units: 64 }');
  }
  encodeJson(given, (path, what) => {
    throw refused(path && `.${path}`, what, EXPECTED);
  });
  // Those are numbers that encodeJson has a way to keep; a service for logs has none.
  JSON.stringify(given, (name, value) => {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw refused(`: ${name}`, `${value}`, EXPECTED);
    return value;
  });
}

const EXPECTED = 'text, a finite number, true, false, null, or lists and objects of these';

function refused(path: string, what: string, expected: string): Error {
  return trainerError(
    'BAD_OPTIONS',
    `new Trainer(): hyperparameters${path} is ${what}, expected ${expected}.`,
  );
}
