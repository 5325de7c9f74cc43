import type { Check } from '../check.js';
import { faultyHook } from '../fakes/faulty-hook.js';
import { afterFailedRun } from '../trial/after-failed-run.js';

export const teardown: Check = {
  name: 'teardown',
  promise: 'cleans up when another hook fails before training begins',
  needs: ['fit', 'leaks', 'reuse'],
  async run(subject) {
    const inSetup = faultyHook('fails-in-setup', { in: 'setup' });
    const inInit = faultyHook('fails-in-init', { in: 'onInit', onError: 'fail' });
    return [...(await afterFailedRun(subject, inSetup)), ...(await afterFailedRun(subject, inInit))];
  },
};
