// Runs before each test file where HOOKLINE_TEST_BACKEND names a backend: it is the active one then, as in a program that
// has chosen it. Its packages are in HOOKLINE_TEST_PROJECT, which is not part of the workspace.
import { selectBackend } from '../../../packages/trainer/src/backends/select-backend.js';

const { HOOKLINE_TEST_BACKEND: backend, HOOKLINE_TEST_PROJECT: root } = process.env;
if (!backend || !root)
  throw new Error('Set HOOKLINE_TEST_BACKEND and HOOKLINE_TEST_PROJECT: npm run native does.');
await selectBackend({ backend, root });
