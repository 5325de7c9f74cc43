import { testHook } from '@hookline/hook-testkit';
import { lrMonitor } from '../src/index.js';

testHook(lrMonitor, { options: { frequency: 'epoch' } });
