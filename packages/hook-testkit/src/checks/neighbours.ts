import type { Check } from '../check.js';
import { faultyHook } from '../fakes/faulty-hook.js';
import { afterFailedRun } from '../trial/after-failed-run.js';
import { difference } from '../trial/compare.js';
import { trial } from '../trial/trial.js';

export const neighbours: Check = {
  name: 'neighbours',
  promise: 'is not disturbed by other hooks that fail, nor by a run that they end',
  needs: ['fit', 'leaks', 'reuse', 'teardown'],
  async run(subject) {
    const found = await trial([faultyHook('fails-before'), ...subject.make(), faultyHook('fails-after')]);
    const [failure] = subject.failures(found);
    const different = failure ?? difference(found, await subject.expected());
    const fatal = faultyHook('fails-in-training', { in: 'transformGradients', fromStep: 3 });
    return [
      ...(different === undefined
        ? []
        : [`Between hooks that fail in every event: ${different}. Rely on no other hook.`]),
      ...(await afterFailedRun(subject, fatal)),
    ];
  },
};
