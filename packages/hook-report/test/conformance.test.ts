import { testHook } from '@hookline/hook-testkit';
import { report } from '../src/index.js';

testHook(report, { options: () => ({ print: false as const }) });
