// Runs before each test file: a test that fails or hangs must not take the files after it along, which share its process.
import { afterAll } from 'vitest';
import { rememberProcess } from './remember-process.js';

afterAll(rememberProcess());
