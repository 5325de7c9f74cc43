// Runs before each test file: a test that fails or hangs must take along neither the tests after it nor the files after
// its own, which share its process.
import { afterAll, afterEach, beforeEach } from 'vitest';
import { rememberProcess } from './remember-process.js';

afterAll(rememberProcess());

let putBack: () => Promise<void>;

beforeEach(() => {
  putBack = rememberProcess();
});

// One that passes has put back what it changed, or left on purpose what the tests after it share.
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await putBack();
});
