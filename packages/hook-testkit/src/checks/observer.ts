import type { Check } from '../check.js';
import { trainingDifference } from '../trial/compare.js';
import { withoutHook } from '../trial/without-hook.js';

export const observer: Check = {
  name: 'observer',
  promise: 'leaves training as it is, to the bit',
  needs: ['fit'],
  applies: ({ observes }) => observes,
  async run(subject) {
    const found = await subject.expected();
    const different = trainingDifference(found, await withoutHook());
    if (different === undefined) return [];
    const reason = found.stopReason === undefined ? '' : ` (it stopped the run: ${found.stopReason})`;
    return [
      `With the hook, training is not what it was without: ${different}${reason}. Look, and change nothing: clone tensors before you work on them. If changing training is what it is for, say so: testHook(factory, { observer: false }).`,
    ];
  },
};
