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
      `The hook changes training: ${different}${reason}. Only observe: clone tensors before you work on them. If the hook is meant to change training, say so: testHook(factory, { observer: false }).`,
    ];
  },
};
