import { messageOf } from '@hookline/hook-api/helpers';
import * as tf from '@tensorflow/tfjs-core';
import type { Check } from '../check.js';
import { FIT, trial } from '../trial/trial.js';

export const fit: Check = {
  name: 'fit',
  promise: 'trains, validates, tests and predicts without an error',
  needs: ['events'],
  async run(subject) {
    const data = FIT.validation!;
    const all = await trial(subject.make(), {
      work: async (trainer) => {
        await trainer.fit(FIT);
        await trainer.validate({ data });
      },
    });
    // Without a fit before it: nothing that onTrainStart makes is there.
    const evaluated = await trial(subject.make(), {
      work: async (trainer) => {
        await trainer.test({ data });
        tf.dispose(await trainer.predict({ data }));
      },
    });
    return [all, evaluated].flatMap((each) => [
      ...subject.failures(each),
      ...(each.error === undefined ? [] : [`The run failed: ${messageOf(each.error)}`]),
    ]);
  },
};
