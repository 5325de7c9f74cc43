import { testHook } from '@hookline/hook-testkit';
import { gradientMonitor } from '../src/index.js';

testHook(gradientMonitor, { options: { every: 1, gradients: 'both' } });
