import type { Hook } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import type { Trainer } from '@hookline/trainer';
import type { Check } from '../check.js';
import type { Subject } from '../subject.js';
import { trainingDifference } from '../trial/compare.js';
import { BATCHES, trial } from '../trial/trial.js';
import { withoutHook } from '../trial/without-hook.js';

export const switching: Check = {
  name: 'switching',
  promise: 'can be switched off and on during a run',
  needs: ['fit', 'observer', 'teardown'],
  async run(subject) {
    return [
      ...(await switched(subject, { off: [1, 3], on: [2, 4] })),
      // On only in the middle of an epoch: the events before are those it has missed.
      ...(await switched(subject, { off: [], on: [1], startsOff: true })),
    ];
  },
};

interface Switches {
  /** Batches, counted over epochs, before which it is switched. */
  off: readonly number[];
  on: readonly number[];
  startsOff?: boolean;
}

async function switched(subject: Subject, { off, on, startsOff = false }: Switches): Promise<string[]> {
  const { names } = subject;
  let trainer: Trainer | undefined;
  const turn = (verb: 'enableHook' | 'disableHook') => {
    for (const name of names) trainer?.[verb](name);
  };
  const hand: Hook = {
    name: 'switches',
    onTrainBatchStart({ state }, { batchIndex }) {
      const batch = BATCHES * state.epoch + batchIndex;
      if (off.includes(batch)) turn('disableHook');
      if (on.includes(batch)) turn('enableHook');
    },
  };
  const found = await trial([hand, ...subject.make()], {
    prepare(made) {
      trainer = made;
      if (startsOff) turn('disableHook');
    },
  });
  const how = startsOff ? 'Switched on for the first time' : 'Switched off and on';
  const fix = 'A hook may miss any event but setup and teardown: do not rely on having seen earlier ones.';
  const problems = subject
    .failures(found)
    .map((failure) => `${how} in the middle of an epoch: ${failure}. ${fix}`);
  if (problems.length > 0) return problems;
  if (found.error !== undefined) return [`${how}, the run failed: ${messageOf(found.error)}. ${fix}`];
  const different = subject.observes ? trainingDifference(found, await withoutHook()) : undefined;
  return different === undefined ? [] : [`${how}, the hook changes training: ${different}.`];
}
