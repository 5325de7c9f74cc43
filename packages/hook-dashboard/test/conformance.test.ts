import { testHook } from '@hookline/hook-testkit';
import { dashboard } from '../src/index.js';

testHook(dashboard);
