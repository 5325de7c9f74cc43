import type { Hook } from '@hookline/hook-api';
import { someOf } from '@hookline/test-support';
import type { Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { type ActivationsOptions, ablate, activations, runWithCache } from '../src/index.js';
import { mlp, numbers } from './models.js';
import { KINDS, train } from './training.js';

describe('observers', () => {
  test.each(someOf(Object.keys(KINDS) as (keyof typeof KINDS)[], 1))(
    'leave training on %s as it is, to the bit',
    async (kind) => {
      const everything: ActivationsOptions = {
        every: 1,
        metrics: ['mean', 'std', 'norm', 'dead', 'histogram', 'gradient', 'bytes'],
        capture: '**',
        captureInput: true,
        debug: '**',
        conditions: {
          nan: true,
          range: [-0.1, 0.1],
          gradient: { max: 1e-3 },
          custom: () => Math.random() > 2, // draws from the program's numbers, not from the run's
        },
      };
      const withDropout = { validation: true, metrics: ['meanAbsoluteError'] as never };
      const plain = await train([], kind, withDropout);
      const watched = await train([activations(everything)], kind, withDropout);
      expect(watched.weights).toEqual(plain.weights);
      expect(watched.result.history).toEqual(plain.result.history);
    },
  );

  test.each(someOf(Object.keys(KINDS) as (keyof typeof KINDS)[], 1))(
    'leave training on %s on wasm as it is, where they look into its memory',
    async (kind) => {
      const plain = await train([], kind, { backend: 'wasm' });
      const captured = kind === 'raw ops' ? 'block_1/out' : kind === 'layers' ? 'second' : 'lstm';
      const hook = activations({
        every: 1,
        metrics: ['mean', 'dead', 'histogram', 'gradient'],
        capture: captured,
        debug: (path) => !path.includes('cell'),
      });
      const watched = await train([hook], kind, { backend: 'wasm' });
      expect(watched.weights).toEqual(plain.weights);
      expect(hook.taps.getFindings('debug')).toEqual([]);
      // Captured from memory that has been used again since.
      const first = tf.slice(watched.xs, 0, 4);
      const { cache } = runWithCache(KINDS[kind].model(), first, captured);
      const [state] = hook.taps.getCapturedStates('capture');
      const expected = numbers(cache.tensor(captured));
      [...state!.outputs[0]!.data].forEach((value, i) => {
        expect(value).toBeCloseTo(expected[i]!, 5);
      });
      await tf.setBackend('cpu');
    },
  );

  test('leave the cells of RNNs alone unless they are named', async () => {
    const { series } = await train([activations({ every: 6 })], 'nested layers and an LSTM');
    const paths = Object.keys(series[0]!.values).filter((name) => name.endsWith('/mean'));
    const expected = ['td/layer/dense_1', 'td/layer', 'td', 'lstm', 'shared', 'out'];
    expect(new Set(paths)).toEqual(new Set(expected.map((path) => `act/${path}/mean`)));
  });

  test('leave a run with dropout as it is', async () => {
    const model = () =>
      sequential({
        layers: [
          layers.dense({ units: 8, inputShape: [3], activation: 'relu', name: 'first' }),
          layers.dropout({ rate: 0.5 }),
          layers.dense({ units: 1 }),
        ],
      });
    const custom = () => Math.random() > 2;
    const plain = await train([], 'layers', { model });
    const watched = await train([activations({ every: 1, debug: '**', conditions: { custom } })], 'layers', {
      model,
    });
    expect(watched.weights).toEqual(plain.weights);
  });

  test('that fail do not end the run: after three failures the hook is off', async () => {
    const boom = () => {
      throw new Error('boom');
    };
    const hook = activations({ every: 1, debug: 'first', conditions: { custom: boom } });
    const { result, said } = await train([hook]);
    expect(result.status).toBe('completed');
    expect(said.filter(({ level }) => level === 'error').at(-1)!.message).toContain(
      '"activations" is disabled',
    );
  });

  test('leak no tensor and leave no tap behind', async () => {
    const hook = activations({ every: 1, capture: '**', store: 'device', maxCapturedStates: 3 });
    const { trainer } = await train([hook]);
    const model = (await trainer.model()) as ReturnType<typeof mlp>;
    expect(model.layers.some((layer) => Object.hasOwn(layer, 'call'))).toBe(false);
    const before = tf.memory().numTensors;
    hook.taps.clearCapturedStates();
    expect(tf.memory().numTensors).toBe(before - 3);
    const fit = () =>
      trainer.fit({ train: { xs: tf.keep(tf.ones([4, 3])), ys: tf.ones([4, 1]) }, epochs: 1 });
    await fit();
    hook.taps.clearCapturedStates();
    const once = tf.memory().numTensors;
    await fit();
    hook.taps.clearCapturedStates();
    expect(tf.memory().numTensors - once).toBe(2); // the data of the second fit
  });
});

describe('intervening', () => {
  test('is refused unless it is enabled', () => {
    expect(() => activations({ interventions: [ablate('second')] })).toThrow('enableIntervention: true');
  });

  test('changes every step, is told, and stops when the hook is switched off', async () => {
    const options: ActivationsOptions = {
      enableIntervention: true,
      interventions: [ablate('second')],
      monitor: false,
    };
    const { weights, said } = await train([activations(options)]);
    const plain = await train([]);
    const initial = mlp().getWeights().map(numbers);
    // Nothing before the zeros learns; only the bias after them does.
    expect(weights['first/kernel']).toEqual(initial[0]);
    expect(weights['out/kernel']).toEqual(initial[4]);
    expect(weights['out/bias']).not.toEqual(initial[5]);
    expect(said).toMatchObject([
      { level: 'info', message: expect.stringContaining('changes what the model computes') },
    ]);
    const off = await train([activations(options)], 'layers', {
      beforeFit: (trainer) => trainer.disableHook('activations'),
    });
    expect(off.weights).toEqual(plain.weights);
  });

  test('ends with the batch in which the hook is switched off', async () => {
    let calls = 0;
    const counting = activations({
      enableIntervention: true,
      monitor: false,
      interventions: [
        [
          'first',
          ({ output }) => {
            calls++;
            return output;
          },
        ],
      ],
    });
    let trainer: Trainer | undefined;
    const switching: Hook = {
      name: 'switching',
      onTrainBatchEnd: ({ state }, { batchIndex }) => {
        if (state.epoch === 0 && batchIndex === 0) trainer!.disableHook('activations');
      },
    };
    await train([switching, counting], 'layers', {
      beforeFit: (made) => {
        trainer = made;
      },
    });
    const switchedOff = calls;
    calls = 0;
    await train([counting]);
    expect(calls).toBe(6);
    expect(switchedOff).toBe(1);
  });

  test('with the identity leaves training as it is, to the bit', async () => {
    const identity: ActivationsOptions = {
      enableIntervention: true,
      monitor: false,
      interventions: [['**', { output: ({ outputs }) => outputs, gradient: ({ gradient }) => gradient }]],
    };
    const plain = await train([], 'nested layers and an LSTM');
    expect((await train([activations(identity)], 'nested layers and an LSTM')).weights).toEqual(
      plain.weights,
    );
  });
});
