import { scriptedLosses } from '@hookline/test-runs';
import { notify } from '../src/index.js';

// A program that trains, sends messages about it and has nothing else to do.
const hook = notify({ on: ['start', 'best', 'end'], timeoutMs: 500 });
const { status } = await scriptedLosses([3, 2, 1], [hook]).fit();
console.log(status);
