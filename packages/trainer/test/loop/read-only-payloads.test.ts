import { EVENTS, type EventName, type Hook, type HookContext } from '@hookline/hook-api';
import { collectingLogger, regression, regressor, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { quietTrainer } from '../support/quiet-trainer.js';

async function train(hooks: Hook[]) {
  const model = regressor();
  const logger = collectingLogger();
  const options = { optimizer: { name: 'adam', lr: 0.1 }, clip: { norm: 1 }, accumulate: 2 } as const;
  const trainer = quietTrainer({ model, hooks, logger, metrics: ['meanAbsoluteError'], ...options });
  const data = regression(16);
  const batches = batchesOf(data);
  const { history, metrics } = await trainer.fit({
    train: batches,
    validation: data,
    epochs: 2,
    batchSize: 4,
  });
  tf.dispose(batches);
  const errors = logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
  return { outcome: { history, metrics, weights: weightsOf(model) }, errors };
}

/** Ready batches: the trainer must not write to them, and not freeze them either. */
function batchesOf({ xs, ys }: { xs: number[][]; ys: number[][] }) {
  return [0, 4, 8, 12].map((at) => ({
    xs: tf.tensor2d(xs.slice(at, at + 4)),
    ys: tf.tensor2d(ys.slice(at, at + 4)),
  }));
}

/** Writes to, adds to and deletes from an object and all lists and records in it. */
function vandalise(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null || 'dataId' in value || depth > 2) return;
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key];
    if (typeof part === 'object') vandalise(part, depth + 1);
    attempt(() => Object.assign(value, { [key]: -1 }));
    attempt(() => delete (value as Record<string, unknown>)[key]);
  }
  attempt(() => Object.assign(value, { extra: -1 }));
}

const refused: unknown[] = [];
function attempt(write: () => void): void {
  try {
    write();
  } catch (error) {
    refused.push(error);
  }
}

let plain: Awaited<ReturnType<typeof train>>;
beforeAll(async () => {
  plain = await train([]);
});

const named = (kind: string) => Object.keys(EVENTS).filter((name) => EVENTS[name as EventName].kind === kind);
const inAll = (names: string[], handler: (ctx: HookContext, event: never) => void) =>
  Object.fromEntries(names.map((name) => [name, handler]));

test('whatever observers do to their payloads, training and its numbers are the same', async () => {
  const called = new Set<string>();
  const vandal: Hook = {
    name: 'vandal',
    needs: ['outputs'],
    ...inAll(named('observe'), (_ctx, event: object) => {
      // It may write to the groups of an optimizer and to a snapshot.
      const { optimizer: _optimizer, snapshot: _snapshot, ...payload } = event as Record<string, unknown>;
      for (const part of Object.keys(payload)) called.add(part);
      vandalise(payload);
      attempt(() => Object.assign(event, { extra: -1 }));
    }),
  };
  const { outcome, errors } = await train([vandal]);
  expect(errors).toEqual([]);
  expect(outcome).toEqual(plain.outcome);
  expect(new Set(refused.map((error) => (error as Error).constructor))).toEqual(new Set([TypeError]));
  expect([...called]).toEqual(
    expect.arrayContaining(['batch', 'gradients', 'metrics', 'inputs', 'unclipped']),
  );
});

test('what a transform writes to its input is lost', async () => {
  const vandal: Hook = {
    name: 'vandal',
    ...inAll(named('transform'), (_ctx, event: object) => vandalise({ ...event })),
  };
  expect((await train([vandal])).outcome).toEqual(plain.outcome);
});

test('a transform that returns the very object it was given changes nothing', async () => {
  const same: Hook = { name: 'same', transformBatch: (_ctx, { batch }) => batch };
  const copy: Hook = { name: 'copy', transformBatch: (_ctx, { batch }) => ({ ...batch }) };
  expect((await train([same, copy])).outcome).toEqual(plain.outcome);
});

test('the batches that you pass are not frozen', async () => {
  const batches = batchesOf(regression(16));
  const looking: Hook = { name: 'looking', onTrainBatchStart() {}, transformBatch: () => undefined };
  await quietTrainer({ model: regressor(), hooks: [looking] }).fit({ train: batches, epochs: 1 });
  expect(batches.some((batch) => Object.isFrozen(batch))).toBe(false);
  tf.dispose(batches);
});

describe('a write is an error of the hook that names what it wrote to', () => {
  const cases: [string, (ctx: HookContext, event: never) => void, RegExp][] = [
    [
      'ctx.state.epoch',
      (ctx) => Object.assign(ctx.state, { epoch: 7 }),
      /Hook "writer" cannot change ctx\.state\.epoch/,
    ],
    [
      'ctx.state.optimizers',
      (ctx) => Object.assign(ctx.state, { optimizers: [] }),
      /"writer" cannot change ctx\.state\.optimizers/,
    ],
    ['ctx.state.parameters', (ctx) => Object.assign(ctx.state.parameters, { mine: 1 }), /not extensible/],
    [
      'ctx.metrics',
      (ctx) => Object.assign(ctx.metrics, { 'train/loss': 1 }),
      /"writer" cannot change ctx\.metrics\["train\/loss"\]/,
    ],
    [
      'ctx.run.seed',
      (ctx) => Object.assign(ctx.run, { seed: 1 }),
      /"writer" cannot change ctx\.run\["seed"\]/,
    ],
    ['ctx.stop', (ctx) => Object.assign(ctx, { stop: () => {} }), /read only|read-only/],
    ['ctx.shared', (ctx) => Object.assign(ctx.shared, { get: () => 1 }), /read only|read-only/],
    [
      'the list of groups',
      (ctx) => void (ctx.state.optimizers[0]!.groups as unknown[]).pop(),
      /delete|read only|length/,
    ],
  ];
  test.each(cases)('%s', async (_what, write, message) => {
    const { outcome, errors } = await train([
      { name: 'writer', onEpochEnd: write as Hook['onEpochEnd'] & {} },
    ]);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatch(/^Hook "writer" failed in onEpochEnd at step 2: /);
    expect(errors[0]).toMatch(message);
    expect(outcome).toEqual(plain.outcome);
  });
});

test('ctx.state is a whole object: it can be listed, spread and printed, and is always up to date', async () => {
  const seen: unknown[] = [];
  await train([
    {
      name: 'looking',
      onTrainEnd({ state }) {
        const { step, ...rest } = { ...state };
        seen.push(step, Object.keys(rest).includes('epoch'), JSON.parse(JSON.stringify({ e: state.epoch })));
      },
    },
  ]);
  expect(seen).toEqual([4, true, { e: 1 }]);
});
