import type { Hook } from '@hookline/hook-api';
import { createOptimizers } from '@hookline/optimizers';
import { errorOf, recorder, rows, someOf, TEST_BACKENDS, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TrainerOptions } from '../../src/index.js';
import { GAN_OPTIMIZERS, type Gan, gan } from '../support/gan.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const data = { xs: rows(20, 3, 7) };
const FIT = { train: data, epochs: 2, batchSize: 8 };

function ganTrainer(model: Gan, options: Partial<TrainerOptions> = {}) {
  return quietTrainer({ model, optimizer: GAN_OPTIMIZERS!, loss: undefined as never, ...options });
}

const weightsOf = (model: Gan) => model.getWeights().map((tensor) => [...tensor.dataSync()]);

async function trained(model: Gan, options: Partial<TrainerOptions> = {}): Promise<number[][]> {
  await ganTrainer(model, options).fit(FIT);
  return weightsOf(model);
}

describe.each(someOf(TEST_BACKENDS, 1))('on %s', (backend) => {
  beforeAll(() => useBackend(backend));

  test('a GAN trains as in a loop written by hand, to the bit', async () => {
    const inBatch = (xs: tf.Tensor2D) => xs;
    const reference = gan(inBatch);
    const parameters = Object.entries(reference.parameters()).map(([path, variable]) => ({ path, variable }));
    const [critic, generator] = createOptimizers(GAN_OPTIMIZERS!, parameters);
    const losses: number[] = [];
    const step = (optimizer: typeof critic, loss: () => tf.Scalar) => {
      const mine = optimizer!.parameters;
      const { value, grads } = tf.variableGrads(
        loss,
        mine.map(({ variable }) => variable),
      );
      optimizer!.apply(Object.fromEntries(mine.map(({ path, variable }) => [path, grads[variable.name]!])));
      losses.push(value.dataSync()[0]!);
      tf.dispose([value, grads]);
    };
    for (let epoch = 0; epoch < 2; epoch++) {
      for (const start of [0, 8, 16]) {
        const xs = tf.tensor2d(data.xs.slice(start, start + 8));
        step(critic, () => reference.criticLoss(xs, xs));
        step(generator, () => reference.generatorLoss(xs));
        xs.dispose();
      }
    }

    const model = gan(inBatch);
    const seen = recorder('recorder', ['onStepEnd']);
    await ganTrainer(model, { backend, hooks: [seen] }).fit({ ...FIT, shuffle: false });
    expect(weightsOf(model)).toEqual(weightsOf(reference));
    expect(
      seen.events.flatMap(({ payload }) => [payload.metrics['train/critic'], payload.metrics['train/loss']]),
    ).toEqual(losses);
  });
});

describe('a module with its own step', () => {
  beforeAll(() => useBackend());

  test('fires every event for each update, and one start and end for the step', async () => {
    const seen = recorder();
    await ganTrainer(gan(), { clip: { globalNorm: 1 }, hooks: [seen] }).fit({
      ...FIT,
      epochs: 1,
      batchSize: 20,
    });
    const update = [
      'onBeforeBackward',
      'onAfterBackward',
      'onGradientClip',
      'onGradientsReady',
      'onBeforeOptimizerStep',
      'onAfterOptimizerStep',
    ];
    const names = seen.names();
    const batch = names.slice(names.indexOf('onStepStart'), names.indexOf('onTrainBatchEnd') + 1);
    expect(batch.filter((name) => !name.startsWith('transform'))).toEqual([
      'onStepStart',
      'onTrainBatchStart',
      'onTrainBatchReady',
      'onForward',
      ...update,
      ...update,
      'onStepEnd',
      'onTrainBatchEnd',
    ]);
    const optimizers = seen.of('onBeforeBackward').map(({ payload }) => payload.optimizer!.name);
    expect(optimizers).toEqual(['critic', 'generator']);
    expect(seen.of('onAfterBackward').map(({ payload }) => Object.keys(payload.gradients))).toEqual([
      ['critic/hidden', 'critic/out'],
      ['generator/kernel'],
    ]);
    expect(seen.of('onAfterOptimizerStep').map(({ payload }) => payload.optimizerIndex)).toEqual([0, 1]);
  });

  test('reports the loss that it returns, and what it logs', async () => {
    const { history, metrics } = await ganTrainer(gan()).fit(FIT);
    expect(Object.keys(history[0]!)).toEqual(['train/loss', 'train/critic', 'train/gap']);
    expect(metrics['train/gap']).toBeCloseTo(metrics['train/critic']! - metrics['train/loss']!, 5);
  });

  test('leaves the update out that a hook skips, and only that', async () => {
    const model = gan();
    const before = weightsOf(model);
    const skip: Hook = {
      name: 'skip',
      onBeforeOptimizerStep: (ctx, { optimizer }) => {
        if (optimizer.name === 'generator') ctx.skipStep();
      },
    };
    const after = await trained(model, { hooks: [skip] });
    expect(after[0]).toEqual(before[0]);
    expect(after[1]).not.toEqual(before[1]);
  });

  test('lets hooks change the loss and the gradients of each update', async () => {
    const model = gan();
    const before = weightsOf(model);
    const zero: Hook = {
      name: 'zero',
      transformLoss: (_ctx, { loss, optimizer }) =>
        optimizer!.name === 'critic' ? tf.mul<tf.Scalar>(loss, 0) : undefined,
    };
    const after = await trained(model, { hooks: [zero], optimizer: sgds(0.1) });
    expect(after[1]).toEqual(before[1]);
    expect(after[0]).not.toEqual(before[0]);
  });

  test('follows the seed, in its updates and between them, whatever hooks do with Math.random', async () => {
    const plain = await trained(gan());
    const draws: Hook = {
      name: 'draws',
      onBeforeBackward: () => void Math.random(),
      onAfterBackward: async () => {
        Math.random();
        await new Promise((resolve) => setTimeout(resolve, 1));
        Math.random();
      },
      onAfterOptimizerStep: () => void Math.random(),
    };
    expect(await trained(gan())).toEqual(plain);
    expect(await trained(gan(), { hooks: [draws, recorder()] })).toEqual(plain);
    expect(await trained(gan(), { seed: 2 })).not.toEqual(plain);
  });

  test('works in a loop of trainingStep', async () => {
    const model = gan();
    const trainer = ganTrainer(model);
    const xs = tf.tensor2d(data.xs);
    const numbers = await trainer.trainingStep({ xs });
    await trainer.close();
    expect(Object.keys(numbers!.metrics)).toEqual(['train/loss', 'train/critic', 'train/gap']);
    xs.dispose();
  });

  test('leaves no tensor behind, also where a step fails', async () => {
    const trainer = ganTrainer(gan(), { hooks: [recorder()], ema: { decay: 0.9 } });
    await trainer.fit(FIT);
    const before = tf.memory().numTensors;
    await trainer.fit(FIT);
    expect(tf.memory().numTensors).toBe(before);
    const events = [
      'onBeforeBackward',
      'onAfterBackward',
      'onGradientsReady',
      'onAfterOptimizerStep',
    ] as const;
    for (const event of events) {
      let calls = 0;
      const fail: Hook = {
        name: 'fail',
        onError: 'fail',
        [event]: () => {
          if (++calls === 4) throw new Error('in the middle of the second step');
        },
      };
      const remove = trainer.addHook(fail);
      expect((await errorOf(trainer.fit(FIT))).message).toContain('second step');
      remove();
      expect(tf.memory().numTensors, event).toBe(before);
    }
  });

  test.each(['skip', 'throw'] as const)(
    'a loss that is not finite undoes the whole step: %s',
    async (nonFiniteLoss) => {
      const model = gan();
      const before = weightsOf(model);
      const bad: Hook = {
        name: 'bad',
        transformLoss: (_ctx, { loss, optimizer }) =>
          optimizer!.name === 'generator' ? tf.mul<tf.Scalar>(loss, Number.NaN) : undefined,
      };
      const trainer = ganTrainer(model, { nonFiniteLoss, hooks: [bad] });
      const run = trainer.fit({ ...FIT, epochs: 1, batchSize: 20 });
      if (nonFiniteLoss === 'throw') expect((await errorOf(run)).code).toBe('NON_FINITE_LOSS');
      else await run;
      expect(weightsOf(model)).toEqual(before);
    },
  );
});

describe('what a module cannot do in its own step', () => {
  beforeAll(() => useBackend());

  const cases: [string, Partial<Gan>, Partial<TrainerOptions>, string, string][] = [
    [
      'update an optimizer that is not there',
      stepOf((update) => update('critc')),
      {},
      'BAD_MODEL',
      '"critic"',
    ],
    [
      'update one of two optimizers with the same name',
      stepOf((update) => update('adam')),
      { optimizer: [{ name: 'adam', params: 'critic/**' }, 'adam'] },
      'BAD_MODEL',
      'several optimizers',
    ],
    [
      'return nothing',
      stepOf((update) => update('critic').then(() => undefined as never)),
      {},
      'BAD_LOSS',
      'train/loss',
    ],
    [
      'end before its update',
      stepOf(async (update) => {
        update('critic');
        return tf.scalar(0);
      }),
      {},
      'BAD_MODEL',
      'await',
    ],
    [
      'make two updates at once',
      stepOf(async (update) => (await Promise.all([update('critic'), update('generator')]))[0]),
      {},
      'BAD_MODEL',
      'one after the other',
    ],
    ['be accumulated', {}, { accumulate: 2 }, 'BAD_OPTIONS', 'accumulate'],
    ['use an optimizer of tfjs', {}, { optimizer: tf.train.sgd(0.1) }, 'BAD_OPTIONS', 'tf.train'],
  ];

  test.each(cases)('%s', async (_what, change, options, code, message) => {
    const trainer = ganTrainer({ ...gan(), ...change }, options);
    const before = tf.memory().numTensors;
    const error = await errorOf(trainer.fit(FIT));
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(message);
    await trainer.dispose();
    expect(tf.memory().numTensors).toBe(before);
  });

  test('be validated without a loss', async () => {
    const { loss: _loss, ...model } = gan();
    const trainer = ganTrainer(model as Gan);
    await trainer.fit(FIT);
    for (const run of [() => trainer.fit({ ...FIT, validation: data }), () => trainer.test({ data })]) {
      const error = await errorOf(run());
      expect(error.code).toBe('BAD_LOSS');
      expect(error.message).toContain('loss(outputs, batch)');
    }
  });
});

function sgds(lr: number): TrainerOptions['optimizer'] & object {
  return {
    critic: { name: 'sgd', lr, params: 'critic/**' },
    generator: { name: 'sgd', lr, params: 'generator/**' },
  };
}

/** A step that does this, where every update minimises the critic's last layer. */
function stepOf(body: (update: (name: string) => Promise<tf.Scalar>) => Promise<tf.Scalar>): Partial<Gan> {
  const step = gan();
  return {
    parameters: step.parameters,
    trainingStep: (_batch, { update }) =>
      body((name) =>
        update(name, () =>
          tf.add<tf.Scalar>(
            ...(Object.values(step.parameters())
              .slice(0, 2)
              .map((weight) => tf.mean(tf.square(weight))) as [tf.Scalar, tf.Scalar]),
          ),
        ),
      ),
  };
}
