import type { HostTensor, Snapshot } from '@hookline/hook-api';
import { decodeJson } from '@hookline/hook-api/helpers';
import { trainerError } from '../errors.js';
import { neededTensors } from '../objective/metrics/metric-totals.js';
import { PHASES } from './cursor.js';
import {
  anything,
  count,
  either,
  encoded,
  fieldsOf,
  finite,
  flag,
  integer,
  type JsonRule,
  listOf,
  nonNegative,
  number,
  oneOf,
  optional,
  orNull,
  pairOf,
  recordOf,
  text,
} from './json-rules.js';
import type { SavedProgress } from './progress.js';

/**
 * Throws when a snapshot that was read cannot be where a run was. A checksum says that it is as it was written, not that
 * it makes sense: a file that somebody edited, or another program wrote, must not send the loop to a place that does not
 * exist.
 */
export function checkSnapshot(snapshot: Snapshot, file: string): void {
  const problem = isSnapshot(snapshot, '') ?? (snapshot.state && problemOf(snapshot));
  if (problem === undefined) return;
  throw trainerError(
    'BAD_CHECKPOINT',
    `${file} cannot be used: ${problem}. Take another checkpoint, or save a new one.`,
  );
}

/** The same, for a run that is to go on from there: weights alone do not say where it was. */
export function checkResumable(snapshot: Snapshot, file: string): void {
  checkSnapshot(snapshot, file);
  if (snapshot.state) return;
  throw trainerError(
    'BAD_CHECKPOINT',
    `${file} is missing: the checkpoint has weights, and nothing that a run could be continued with. Take another checkpoint, or start a new run from these weights with trainer.load().`,
  );
}

function problemOf({ state, partial = {} }: Snapshot): string | undefined {
  return isState(state, '') ?? lostTotals(state?.progress, partial);
}

const isOne: JsonRule = (value, path) =>
  value === 1 ? undefined : `${path} is ${JSON.stringify(value)}, expected 1`;
const isSnapshot = fieldsOf({ version: isOne, model: recordOf(anything) });

const POSITION = { epoch: count, batch: count, turn: count, mix: text };
const metrics: JsonRule = encoded(recordOf(number));
const means = listOf(
  pairOf(text, fieldsOf({ counts: listOf(listOf(nonNegative, 2)), masked: optional(flag) })),
);
const totals = fieldsOf({
  losses: means,
  metrics: listOf(pairOf(text, nonNegative)),
  outputs: listOf(text),
  logged: means,
});
const batchCount = orNull(either(oneOf('device'), nonNegative));

const isState = fieldsOf({
  seed: integer,
  counters: fieldsOf({
    epoch: count,
    completedEpochs: count,
    step: count,
    batchIndex: optional(count),
    batchesDone: count,
    elapsedSeconds: nonNegative,
    stepBegun: optional(flag),
    next: optional(oneOf(...PHASES)),
  }),
  random: listOf(integer, 4),
  optimizers: listOf(
    listOf(
      fieldsOf({
        name: text,
        lr: finite,
        lrScale: finite,
        momentum: optional(finite),
        weightDecay: optional(finite),
      }),
    ),
  ),
  schedules: optional(
    orNull(
      fieldsOf({
        index: count,
        since: fieldsOf({ step: count, epoch: count }),
        base: listOf(recordOf(finite)),
        plateau: orNull(fieldsOf({ factor: finite, best: orNull(number), waited: count, resting: count })),
      }),
    ),
  ),
  metrics,
  logged: optional(metrics),
  numbers: optional(
    encoded(
      fieldsOf({
        latestLoss: number,
        avgLoss: number,
        best: orNull(fieldsOf({ metric: text, value: number, epoch: count })),
      }),
    ),
  ),
  loaders: optional(
    orNull(
      fieldsOf({
        ...POSITION,
        loaders: listOf(
          fieldsOf({ name: text, pass: count, batch: count, done: flag, order: recordOf(anything) }),
        ),
      }),
    ),
  ),
  progress: optional(
    encoded(
      fieldsOf({
        sum: fieldsOf({ batches: count, each: batchCount, all: batchCount }),
        training: recordOf(number),
        validation: recordOf(number),
        epoch: totals,
        step: optional(totals),
      }),
    ),
  ),
  hooks: recordOf(fieldsOf({ tensors: optional(flag), filters: optional(recordOf(anything)) })),
  wantsValidation: optional(flag),
  settings: optional(recordOf(anything)),
});

/** The totals that the state counts on must be among the tensors. */
function lostTotals(
  progress: NonNullable<Snapshot['state']>['progress'],
  partial: Readonly<Record<string, HostTensor>>,
): string | undefined {
  if (progress === undefined) return undefined;
  const { sum, epoch, step } = decodeJson(progress) as unknown as SavedProgress;
  const named = [
    ...Object.entries({ epoch, ...(step && { step }) }).flatMap(([part, totals]) =>
      neededTensors(totals).map((name) => `${part}/${name}`),
    ),
    ...(['each', 'all'] as const).filter((name) => sum[name] === 'device').map((name) => `counts/${name}`),
  ];
  const lost = named.find((name) => partial[name] === undefined);
  return lost === undefined ? undefined : `progress refers to the tensor "${lost}", which is missing`;
}
