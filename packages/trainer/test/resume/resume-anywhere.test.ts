import { EVENTS, type EventName } from '@hookline/hook-api';
import { rows, someOf } from '@hookline/test-support';
import { beforeAll, describe, expect, test } from 'vitest';
import { GAN_OPTIMIZERS, gan } from '../support/gan.js';
import {
  differences,
  EVERYTHING,
  type Outcome,
  resumedRun,
  straightRun,
  type Taken,
  type Variant,
} from '../support/resume-anywhere.js';

const rowsOfThree = { xs: rows(12, 3, 7) };

/** Two updates in a step, with averages of the weights, clipping and noise between the updates. */
const OWN_STEP: Variant = {
  trainer: {
    model: () => gan() as never,
    optimizer: GAN_OPTIMIZERS!,
    loss: undefined as never,
    clip: { globalNorm: 0.5 },
    ema: { decay: 0.8 },
  },
  fit: { train: rowsOfThree, validation: rowsOfThree, epochs: 2, validateEvery: { steps: 2 } },
};

/** Events of a fit; the others are of validate, test, predict, of checkpoints and of failures. */
const EVENTS_OF_FIT = (Object.keys(EVENTS) as EventName[]).filter(
  (event) => !/^(setup|on(Test|Predict|BeforeCheckpoint|Checkpoint|Exception))/.test(event),
);

// All occurrences, more models and wasm are in proof/resume-anywhere.proof.ts.
describe.each<[string, Variant]>([
  ['everything at once', EVERYTHING],
  ['a module with its own step', OWN_STEP],
])(
  'a snapshot of any event, resumed, gives what the run went on to give, to the bit: %s',
  (_name, variant) => {
    let straight: Outcome & { taken: Taken[] };
    beforeAll(async () => {
      straight = await straightRun(variant);
    });

    test.each(someOf(EVENTS_OF_FIT, 9))('%s', async (event) => {
      const taken = straight.taken.filter((each) => each.event === event);
      // One with an epoch behind it and gradients that are not applied yet, where there is; in a proof also the last.
      const inside = taken.find(({ epoch, batchIndex }) => epoch === 1 && batchIndex === 2);
      for (const each of someOf([inside ?? taken[0]!, taken.at(-1)!], 1)) {
        expect(differences(straight, await resumedRun(variant, each.snapshot), each)).toEqual([]);
      }
    });
  },
);
