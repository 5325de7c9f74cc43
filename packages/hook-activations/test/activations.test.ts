import type { Hook, HookLogger, Metrics, TrainableModule } from '@hookline/hook-api';
import { type Histogram, histogramsKey } from '@hookline/hook-api/helpers';
import { Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { type ActivationsOptions, ablate, activations, runWithCache } from '../src/index.js';
import { Blocks, mixed, mlp, numbers } from './models.js';
import { onDevice } from './pretend-device.js';

interface Line {
  level: string;
  message: string;
  hook?: unknown;
}

function collecting(lines: Line[], bindings: object = {}): HookLogger {
  const at =
    (level: string): HookLogger['info'] =>
    (first: string | object, message?: string) => {
      const text = typeof first === 'string' ? first : (message ?? '');
      lines.push({ level, message: text, ...bindings });
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (more) => collecting(lines, { ...bindings, ...more }),
  };
}

const KINDS = {
  layers: { model: mlp, shape: [3] },
  'nested layers and an LSTM': { model: mixed, shape: [4, 3] },
  'raw ops': { model: () => new Blocks(), shape: [4] },
} as const;

/** A real run of 6 steps; what was logged, said and learned. */
async function train(
  hooks: Hook[],
  kind: keyof typeof KINDS = 'layers',
  options: Partial<TrainerOptions> & { validation?: boolean; beforeFit?: (trainer: Trainer) => void } = {},
) {
  const { model, shape } = KINDS[kind];
  const { validation, beforeFit, ...rest } = options;
  const logged: { step: number; values: Metrics }[] = [];
  const said: Line[] = [];
  const weights: Record<string, number[]> = {};
  const reader: Hook = {
    name: 'reader',
    onLog: (_ctx, { step, values }) => void logged.push({ step, values }),
    teardown({ state }) {
      for (const [path, weight] of Object.entries(state.parameters)) weights[path] = numbers(weight);
    },
  };
  const trainer = new Trainer({
    model: model as () => TrainableModule,
    loss: 'meanSquaredError',
    optimizer: { name: 'sgd', lr: 0.05 },
    hooks: [...hooks, reader],
    discover: false,
    backend: 'cpu',
    runsDir: false,
    seed: 3,
    logger: collecting(said),
    ...rest,
  });
  const xs = tf.randomNormal([12, ...shape], 0, 1, 'float32', 5);
  const ys = tf.randomNormal([12, 1], 0, 1, 'float32', 6);
  beforeFit?.(trainer);
  const data = { xs, ys };
  const result = await trainer.fit({
    train: data,
    ...(validation && { validation: data }),
    epochs: 2,
    batchSize: 4,
    shuffle: false,
  });
  const series = logged.map(({ step, values }) => ({
    step,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => name.startsWith('act/'))),
  }));
  return {
    result,
    weights,
    xs,
    trainer,
    said: said.filter(({ hook }) => hook === 'activations'),
    series: series.filter(({ values }) => Object.keys(values).length > 0),
  };
}

describe('monitoring', () => {
  test('logs the metrics of every layer at the first step and at every so many', async () => {
    const { series } = await train([activations({ every: 3, metrics: ['mean', 'dead'] })]);
    expect(series.map(({ step }) => step)).toEqual([1, 3, 6]);
    for (const { values } of series) {
      expect(Object.keys(values)).toEqual(
        ['first', 'second', 'out'].flatMap((path) => [`act/${path}/mean`, `act/${path}/dead`]),
      );
    }
  });

  test('logs what the layer computed in that step', async () => {
    const { series, xs } = await train([
      activations({ every: 1, metrics: ['mean', 'norm'], monitor: 'first' }),
    ]);
    const { cache } = runWithCache(mlp(), tf.slice(xs, 0, 4), 'first');
    expect(series).toHaveLength(6);
    expect(series[0]!.values['act/first/mean']).toBeCloseTo(numbers(tf.mean(cache.tensor('first')))[0]!, 6);
    expect(series[0]!.values['act/first/norm']).toBeCloseTo(numbers(tf.norm(cache.tensor('first')))[0]!, 5);
  });

  test('measures gradients and times, and leaves histograms for loggers', async () => {
    let histograms: Histogram[] = [];
    const taker: Hook = {
      name: 'taker',
      teardown({ shared }) {
        histograms = shared.get(histogramsKey) ?? [];
      },
    };
    const hook = activations({ every: 2, metrics: ['gradient', 'time', 'bytes', 'histogram'] });
    const { series } = await train([hook, taker]);
    expect(series[0]!.values['act/out/bytes']).toBe(16);
    for (const path of ['first', 'second', 'out']) {
      expect(series[0]!.values[`act/${path}/gradient`]).toBeGreaterThan(0);
      expect(series[0]!.values[`act/${path}/time`]).toBeGreaterThan(0);
    }
    expect(histograms.map(({ name, step }) => `${step} ${name}`)).toEqual(
      [1, 2, 4, 6].flatMap((step) =>
        ['first', 'second', 'out'].map((path) => `${step} act/${path}/histogram`),
      ),
    );
  });

  test('names a filter that matches nothing: before the run begins, or when a module has run once', async () => {
    await expect(train([activations({ monitor: 'frst' })])).rejects.toThrow('Nearest: first');
    await expect(train([activations({ monitor: 'embd' })], 'raw ops')).rejects.toThrow('Nearest: embed');
  });

  test('does without when nobody asked for it and a module names no points', async () => {
    const scale = tf.variable(tf.scalar(1));
    const model = () => ({
      parameters: () => ({ scale }),
      forward: (xs: never) => tf.mul(tf.sum(xs as tf.Tensor, 1, true), scale),
    });
    const { result, series } = await train([activations()], 'layers', { model });
    expect([result.status, series]).toEqual(['completed', []]);
    await expect(train([activations({ monitor: '**' })], 'layers', { model })).rejects.toThrow(
      'no point to tap',
    );
  });

  test('reads the device once for each step it looks at', async () => {
    await onDevice(async (reads) => {
      const count = async (hooks: Hook[]) => {
        const before = reads();
        await train(hooks, 'layers', { backend: 'pretend' } as never);
        return reads() - before;
      };
      const plain = await count([]);
      expect((await count([activations({ every: 2 })])) - plain).toBe(4);
    });
  });
});

describe('observers', () => {
  test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
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

  test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
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

describe('capturing', () => {
  test('keeps the states of the steps it looks at, for whoever holds the hook', async () => {
    const hook = activations({ every: 3, monitor: false, capture: ['first', 'out'] });
    const { series } = await train([hook], 'layers', { validation: true });
    const states = hook.taps.getCapturedStates('capture');
    expect(states.map(({ path, step, training }) => `${step} ${path} ${training}`)).toEqual([
      '0 first true',
      '0 out true',
      '2 first true',
      '2 out true',
      '5 first true',
      '5 out true',
    ]);
    expect(states[0]!.inputs).toEqual([]);
    expect(states[0]!.outputs[0]!.shape).toEqual([4, 4]);
    expect(series).toEqual([]);
  });

  test('takes other stages when it is told to', async () => {
    const hook = activations({ every: 2, monitor: false, capture: 'out', stages: ['validation', 'predict'] });
    const { trainer } = await train([hook], 'layers', { validation: true });
    const seen = () =>
      hook.taps.getCapturedStates('capture').map(({ step, training }) => `${step} ${training}`);
    // Batches 0 and 2 of each validation.
    expect(seen()).toEqual(['3 false', '3 false', '6 false', '6 false']);
    hook.taps.clearCapturedStates();
    tf.dispose(
      (await trainer.predict({ data: { xs: tf.ones([4, 3]) }, batchSize: 2 } as never)) as tf.Tensor,
    );
    expect(seen().length).toBeGreaterThan(0);
  });

  test('works with hooks registered on the manager, before the run and in the middle of it', async () => {
    const hook = activations({ every: 1, monitor: false });
    hook.taps.registerCaptureHook('second', { id: 'mine' });
    const late: Hook = {
      name: 'late',
      onStepEnd({ state }) {
        if (state.step === 3) hook.taps.registerCaptureHook('out', { id: 'late' });
        if (state.step === 3) hook.taps.removeHook('mine');
      },
    };
    await train([late, hook]);
    expect(hook.taps.listHooks().map(({ id }) => id)).toEqual(['late']);
    expect(hook.taps.getCapturedStates('late').map(({ step }) => step)).toEqual([3, 4, 5]);
  });

  test('sees nothing of passes that are not of the batch', async () => {
    const hook = activations({ every: 1, monitor: false, capture: 'out' });
    const runner: Hook = {
      name: 'runner',
      onStepEnd({ state }) {
        tf.dispose((state.model as ReturnType<typeof mlp>).predict(tf.ones([1, 3])));
      },
    };
    await train([runner, hook]);
    expect(hook.taps.getCapturedStates('capture')).toHaveLength(6);
  });
});

describe('debugging', () => {
  test('warns once of a layer in trouble, and again when it comes back', async () => {
    let isBad = false;
    const hook = activations({
      every: 1,
      monitor: false,
      debug: 'first',
      conditions: { custom: () => isBad && 'is bad' },
    });
    const switching: Hook = {
      name: 'switching',
      onStepStart: (_ctx, { step }) => {
        isBad = [1, 2, 4].includes(step);
      },
    };
    const { said } = await train([switching, hook]);
    expect(said.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'The output of "first" is bad.',
      'The output of "first" is bad.',
    ]);
  });

  test('can end the run', async () => {
    const hook = activations({ every: 1, debug: 'first', conditions: { range: [0, 1e-6] }, action: 'throw' });
    await expect(train([hook])).rejects.toMatchObject({ code: 'DEBUG_CONDITION' });
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

test('options are checked, with the nearest name', () => {
  expect(() => activations({ evry: 3 } as never)).toThrow('unknown option "evry". Did you mean "every"?');
  expect(() => activations({ metrics: ['median'] as never })).toThrow('"metrics" must be a list of mean');
  expect(() => activations({ stages: ['training'] as never })).toThrow('a list of train, validation');
  expect(() => activations({ monitor: true as never })).toThrow('"monitor" must be a path');
});
