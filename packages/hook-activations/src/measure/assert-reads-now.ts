import { canReadNow } from '@hookline/numerics';
import { getBackend } from '@tensorflow/tfjs-core';
import { activationsError } from '../errors.js';

/** For what cannot wait, where the device can be read only by waiting for it. */
export function assertReadsNow(what: string, instead: string): void {
  if (canReadNow()) return;
  throw activationsError(
    'CANNOT_READ_NOW',
    `${what} must read the device synchronously, but backend "${getBackend()}" can only be read asynchronously. ${instead}`,
  );
}
