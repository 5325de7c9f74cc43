import type { Check } from '../check.js';
import { difference } from '../trial/compare.js';
import { trial } from '../trial/trial.js';

export const reuse: Check = {
  name: 'reuse',
  promise: 'begins a second fit as if it were the first',
  needs: ['fit'],
  async run(subject) {
    const second = await trial(await subject.used());
    const failures = subject.failures(second);
    const different = difference(second, await subject.expected());
    return [
      ...failures,
      ...(different === undefined || failures.length > 0
        ? []
        : [`In its second fit, ${different}. Reset in setup what the hook counts and keeps.`]),
    ];
  },
};
