import { testHook } from '@hookline/hook-testkit';
import { activations } from '../src/index.js';

testHook(activations, {
  options: {
    every: 1,
    stages: ['train', 'validation', 'test', 'predict'],
    metrics: ['mean', 'gradient'],
    capture: '**',
    debug: '**',
    maxCapturedStates: 4,
  },
});
