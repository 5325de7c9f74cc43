import { it, type TestAPI } from 'vitest';
import { TEST_BACKEND } from './test-backend.js';

/**
 * `it`, for a test that assumes something of the backend: it is skipped where the tests run on another one than those
 * named.
 */
export function itOn(...backends: readonly string[]): TestAPI {
  return (backends.includes(TEST_BACKEND) ? it : it.skip) as TestAPI;
}
