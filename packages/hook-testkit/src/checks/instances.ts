import type { Check } from '../check.js';
import { difference } from '../trial/compare.js';
import { trial } from '../trial/trial.js';

export const instances: Check = {
  name: 'instances',
  promise: 'two instances in one run do not disturb each other',
  needs: ['fit'],
  async run(subject) {
    const [one, two] = [subject.make(), subject.make('-2')];
    if (one.some((hook, index) => hook === two[index]))
      return ['The factory returns the same object each time. Make a new hook in each call.'];
    const found = await trial([...one, ...two]);
    const failures = subject.failures(found);
    if (failures.length > 0) return failures;
    // What changes training does so twice: then there is nothing to compare with.
    const different = subject.observes ? difference(found, await subject.expected()) : undefined;
    if (different === undefined) return [];
    return [
      `Beside a second instance, ${different}. Keep everything in the instance, and nothing in variables of the module.`,
    ];
  },
};
