import { notify } from '../src/index.js';
import { notifiedRun } from './notified-run.js';

// A program that trains, tells of it and has nothing else to do.
const { status } = await notifiedRun([notify({ on: ['start', 'best', 'end'], timeoutMs: 2000 })], {
  losses: [3, 2, 1],
}).fit();
console.log(status);
