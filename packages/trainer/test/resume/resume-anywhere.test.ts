import { EVENTS, type EventName } from '@hookline/hook-api';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  differences,
  EVERYTHING,
  type Outcome,
  resumedRun,
  straightRun,
  type Taken,
} from '../support/resume-anywhere.js';

/** Events of a fit; the others are of validate, test, predict, of checkpoints and of failures. */
const EVENTS_OF_FIT = (Object.keys(EVENTS) as EventName[]).filter(
  (event) => !/^(setup|on(Test|Predict|BeforeCheckpoint|Checkpoint|Exception))/.test(event),
);

// All occurrences, more models and wasm are in proof/resume-anywhere.proof.ts.
describe('a snapshot of any event, resumed, gives what the run went on to give, to the bit', () => {
  let straight: Outcome & { taken: Taken[] };
  beforeAll(async () => {
    straight = await straightRun(EVERYTHING);
  });

  test.each(EVENTS_OF_FIT)('%s', async (event) => {
    const taken = straight.taken.filter((each) => each.event === event);
    // One with an epoch behind it and gradients that are not applied yet, where there is; and the last.
    const inside = taken.find(({ epoch, batchIndex }) => epoch === 1 && batchIndex === 2);
    for (const each of new Set([inside ?? taken[0]!, taken.at(-1)!])) {
      expect(differences(straight, await resumedRun(EVERYTHING, each.snapshot), each)).toEqual([]);
    }
  });
});
