import { testHook } from '@hookline/hook-testkit';
import { earlyStopping } from '../src/index.js';

testHook(earlyStopping);
