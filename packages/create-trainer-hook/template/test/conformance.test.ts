import { testHook } from '@hookline/hook-testkit';
import { myHook } from '../src/index.js';

// One test for each promise that a hook makes to those who install it, also as the package that npm makes of it.
testHook(myHook, { packed: true });
