import { testHook } from '@hookline/hook-testkit';
import { checkpoint } from '../src/index.js';

testHook(checkpoint, { options: { async: false } });
