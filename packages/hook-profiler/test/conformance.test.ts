import { testHook } from '@hookline/hook-testkit';
import { profiler } from '../src/index.js';

testHook(profiler, { options: { steps: 5, skip: 0, kernels: true } });
