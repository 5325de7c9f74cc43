import { testHook } from '@hookline/hook-testkit';
import { debug } from '../src/index.js';

testHook(debug, { options: { activations: true, shapes: 'every' } });
