import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openSafetensors } from '@hookline/safetensors/node';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type CapturedState,
  type DebugFinding,
  run,
  TapManager,
  type TapManagerOptions,
} from '../src/index.js';
import { Blocks, mixed, mlp, numbers } from './models.js';
import { onDevice } from './pretend-device.js';

const X = tf.tensor2d([
  [1, 2, 3],
  [-1, 0.5, 2],
]);
const SEQUENCE = tf.randomNormal([2, 4, 3], 0, 1, 'float32', 8);
const STREAM = tf.randomNormal([3, 4], 0, 1, 'float32', 4);

const values = ({ outputs }: Pick<CapturedState, 'outputs'>): number[] => [...outputs[0]!.data];

function managed(
  options: TapManagerOptions = {},
  someModel: ConstructorParameters<typeof TapManager>[0] = mlp(),
) {
  const manager = new TapManager(someModel, options);
  onTestFinished(() => manager.dispose());
  return { manager, someModel: someModel as ReturnType<typeof mlp> };
}

describe('a capture hook', () => {
  test('keeps inputs and outputs of every call, with where and when', () => {
    const { manager, someModel } = managed();
    const id = manager.registerCaptureHook('second', { id: 'hidden', layerIndex: 1 });
    expect(id).toBe('hidden');
    run(someModel, X);
    run(someModel, tf.neg(X), { training: true });
    const states = manager.getCapturedStates('hidden');
    expect(states).toMatchObject([
      {
        id: 'hidden',
        path: 'second',
        layerIndex: 1,
        callIndex: 0,
        training: false,
        step: undefined,
        bytes: 4 * 14,
      },
      { id: 'hidden', path: 'second', layerIndex: 1, callIndex: 0, training: true },
    ]);
    expect(states[1]!.pass).toBeGreaterThan(states[0]!.pass);
    const [first, second] = someModel.layers;
    const input = first!.apply(X) as tf.Tensor;
    expect(states[0]!.inputs).toEqual([
      { dtype: 'float32', shape: [2, 4], data: Float32Array.from(numbers(input)) },
    ]);
    expect(values(states[0]!)).toEqual(numbers(second!.apply(input)));
  });

  test('takes a layer, a filter, or the points of a module; each use of a layer is a state', () => {
    const { manager, someModel } = managed({}, mixed());
    const shared = someModel.getLayer('shared');
    const ids = [
      manager.registerCaptureHook(shared, { captureInput: false }),
      manager.registerCaptureHook(/cell$/, { captureOutput: false }),
    ];
    expect(ids).toEqual(['capture_1', 'capture_2']);
    run(someModel, SEQUENCE);
    expect(
      manager.getCapturedStates('capture_1').map(({ path, callIndex }) => `${path} ${callIndex}`),
    ).toEqual(['shared 0', 'shared 1']);
    const steps = manager.getCapturedStates('capture_2');
    expect(steps.map(({ inputs, outputs }) => [inputs.length, outputs.length])).toEqual(
      Array(4).fill([3, 0]),
    );
    const points = managed({}, new Blocks());
    points.manager.registerCaptureHook('block_*/out', { id: 'stream' });
    run(points.someModel as never, STREAM);
    expect(points.manager.getCapturedStates('stream').map(({ path }) => path)).toEqual([
      'block_1/out',
      'block_2/out',
    ]);
  });

  test('holds copies: what happens to the tensors later does not reach them', () => {
    const { manager, someModel } = managed();
    manager.registerCaptureHook('first', { id: 'a' });
    const x = tf.ones([1, 3]);
    run(someModel, x);
    x.dataSync().fill(9); // on cpu this is the tensor's own memory
    expect([...manager.getCapturedStates('a')[0]!.inputs[0]!.data]).toEqual([1, 1, 1]);
  });

  test('can keep tensors on the device, without a copy, until they are dropped', () => {
    const { manager, someModel } = managed({ maxCapturedStates: 2 });
    manager.registerCaptureHook('first', { id: 'a', store: 'device', captureInput: false });
    for (let i = 0; i < 4; i++) tf.dispose(run(someModel, X));
    const before = tf.memory().numTensors;
    const captured = manager.getCapturedTensors('a');
    expect(captured.map(({ outputs }) => outputs.length)).toEqual([1, 1]);
    expect(numbers(captured[0]!.outputs[0])).toEqual(values(manager.getCapturedStates('a')[0]!));
    manager.clearCapturedStates('a');
    expect(tf.memory().numTensors).toBe(before - 2);
    expect(captured[0]!.outputs[0]!.isDisposed).toBe(true);
    manager.registerCaptureHook('first', { id: 'host' });
    tf.dispose(run(someModel, X));
    expect(() => manager.getCapturedTensors('host')).toThrow("store: 'device'");
  });

  test('can keep statistics in place of tensors', () => {
    const { manager, someModel } = managed();
    manager.registerCaptureHook('first', { id: 'a', store: 'statistics' });
    manager.registerCaptureHook('first', { id: 'b' });
    run(someModel, X);
    const [state] = manager.getCapturedStates('a');
    const output = values(manager.getCapturedStates('b')[0]!);
    expect(state).toMatchObject({ inputs: [], outputs: [], bytes: 128 });
    const mean = output.reduce((a, b) => a + b) / 8;
    const [summary] = state!.statistics!.outputs;
    expect(summary).toMatchObject({
      shape: [2, 4],
      min: Math.min(...output),
      max: Math.max(...output),
      sparsity: output.filter((value) => value === 0).length / 8,
      nonFinite: 0,
    });
    expect(summary!.mean).toBeCloseTo(mean, 6);
    expect(summary!.std).toBeCloseTo(Math.sqrt(output.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 8), 6);
    expect(summary!.norm).toBeCloseTo(Math.hypot(...output), 5);
    expect(state!.statistics!.inputs[0]).toMatchObject({ shape: [2, 3], max: 3 });
  });
});

describe('the limits', () => {
  test('keep the newest states of each hook', () => {
    const { manager, someModel } = managed({ maxCapturedStates: 3 });
    manager.registerCaptureHook('first', { id: 'a' });
    manager.registerCaptureHook('second', { id: 'b' });
    const passes: number[] = [];
    for (let i = 0; i < 5; i++) {
      run(someModel, X);
      passes.push(manager.getCapturedStates('a').at(-1)!.pass);
    }
    for (const id of ['a', 'b'])
      expect(manager.getCapturedStates(id).map(({ pass }) => pass)).toEqual(passes.slice(2));
  });

  test('keep all hooks together within the bytes, the oldest out first', () => {
    // A pass takes (6 + 8) * 4 and (8 + 6) * 4 bytes: three states of 56 bytes fit.
    const { manager, someModel } = managed({ memoryLimitMb: 3.5 * (56 / 2 ** 20) });
    manager.registerCaptureHook('first', { id: 'a' });
    manager.registerCaptureHook('second', { id: 'b' });
    const held = () => ['a', 'b'].map((id) => manager.getCapturedStates(id).length);
    const seen: number[][] = [];
    for (let i = 0; i < 4; i++) {
      run(someModel, X);
      seen.push([...held(), manager.capturedBytes]);
    }
    expect(seen).toEqual([
      [1, 1, 112],
      [1, 2, 168],
      [1, 2, 168],
      [1, 2, 168],
    ]);
    manager.clearCapturedStates('b');
    expect([...held(), manager.capturedBytes]).toEqual([1, 0, 56]);
    manager.clearCapturedStates();
    expect(manager.capturedBytes).toBe(0);
  });

  test('refuse a state that is larger than everything allowed, with its size', () => {
    const { manager, someModel } = managed({ memoryLimitMb: 0.0001 });
    manager.registerCaptureHook('first', { id: 'a' });
    const before = tf.memory().numTensors;
    expect(() =>
      run(
        someModel,
        tf.tidy(() => tf.keep(tf.ones([100, 3]))),
      ),
    ).toThrow(
      expect.objectContaining({
        code: 'STATE_TOO_LARGE',
        message: expect.stringContaining('One state of "first" for capture hook "a" takes 2.7 kB'),
      }),
    );
    expect(tf.memory().numTensors).toBe(before + 1); // the input
  });

  test('drop what is older than the cleanup interval', () => {
    const { manager, someModel } = managed({ cleanupInterval: 3 });
    manager.registerCaptureHook('first', { id: 'a' });
    const counts = Array.from({ length: 9 }, () => {
      run(someModel, X);
      return manager.getCapturedStates('a').length;
    });
    // After 3, 6 and 9 passes those that are older than 3 are gone.
    expect(counts).toEqual([1, 2, 3, 4, 5, 4, 5, 6, 4]);
  });

  test('hold for tensors on the device as well: none is left behind', () => {
    const { manager, someModel } = managed({ maxCapturedStates: 5, memoryLimitMb: 0.001 });
    manager.registerCaptureHook('**', { id: 'a', store: 'device' });
    tf.dispose(run(someModel, X));
    manager.clearCapturedStates();
    const before = tf.memory().numTensors;
    for (let i = 0; i < 20; i++) tf.dispose(run(someModel, X));
    expect(tf.memory().numTensors).toBeLessThanOrEqual(before + 10);
    manager.removeHook('a');
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('a monitoring hook', () => {
  test('measures what a direct computation gives', () => {
    const { manager, someModel } = managed();
    const metrics = [
      'mean',
      'std',
      'norm',
      'min',
      'max',
      'sparsity',
      'dead',
      'nonFinite',
      'histogram',
      'bytes',
      'time',
    ] as const;
    manager.registerMonitoringHook('first', { id: 'm', metrics });
    manager.registerCaptureHook('first', { id: 'c' });
    run(someModel, X);
    const [record] = manager.getMetrics('m');
    const output = values(manager.getCapturedStates('c')[0]!);
    const mean = output.reduce((a, b) => a + b) / 8;
    const dead = [0, 1, 2, 3].filter((unit) => output[unit] === 0 && output[unit + 4] === 0).length / 4;
    expect(Object.keys(record!.values).sort()).toEqual(metrics.filter((name) => name !== 'histogram').sort());
    expect(record).toMatchObject({
      path: 'first',
      calls: 1,
      training: false,
      values: {
        min: Math.min(...output),
        max: Math.max(...output),
        sparsity: output.filter((value) => value === 0).length / 8,
        dead,
        nonFinite: 0,
        bytes: 32,
      },
    });
    expect(dead).toBeGreaterThan(0); // relu
    expect(record!.values.mean).toBeCloseTo(mean, 6);
    expect(record!.values.std).toBeCloseTo(
      Math.sqrt(output.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 8),
      6,
    );
    expect(record!.values.norm).toBeCloseTo(Math.hypot(...output), 5);
    expect(record!.histogram!.num).toBe(8);
    expect(record!.values.time).toBeGreaterThan(0);
  });

  test('takes all calls of a layer in a pass together', () => {
    const { manager, someModel } = managed({}, mixed());
    manager.registerMonitoringHook(['lstm/cell', 'shared'], {
      id: 'm',
      metrics: ['mean', 'std', 'norm', 'dead', 'time'],
    });
    manager.registerCaptureHook(['lstm/cell', 'shared'], { id: 'c' });
    run(someModel, SEQUENCE);
    const states = manager.getCapturedStates('c');
    for (const { path, calls, values: measured } of manager.getMetrics('m')) {
      const of = states.filter((state) => state.path === path);
      const all = of.flatMap(values);
      const mean = all.reduce((a, b) => a + b) / all.length;
      expect(calls).toBe(of.length);
      expect(measured.mean).toBeCloseTo(mean, 6);
      expect(measured.std).toBeCloseTo(
        Math.sqrt(all.reduce((sum, v) => sum + (v - mean) ** 2, 0) / all.length),
        6,
      );
      expect(measured.norm).toBeCloseTo(Math.hypot(...all), 5);
    }
  });

  test('sees the gradient that flows through, summed over a pass', () => {
    const { manager, someModel } = managed();
    manager.registerMonitoringHook('**', { id: 'm', metrics: ['gradient'] });
    const { grads } = tf.variableGrads(() => tf.sum(someModel.apply(X, { training: true }) as tf.Tensor));
    const records = manager.getMetrics('m');
    // The gradient of a sum is 1 for each output; that of the bias is its sum over the batch.
    expect(records.find(({ path }) => path === 'out')!.values.gradient).toBeCloseTo(Math.SQRT2, 6);
    expect(records.every(({ values: { gradient } }) => gradient! > 0)).toBe(true);
    tf.dispose(grads);
  });

  test('does without the time of a module’s points', () => {
    const { manager, someModel } = managed({}, new Blocks());
    manager.registerMonitoringHook('**', { id: 'm', metrics: ['mean', 'time'] });
    run(someModel as never, STREAM);
    expect(manager.getMetrics('m').map(({ path, values: found }) => [path, Object.keys(found)])).toEqual(
      ['embed', 'block_1/heads', 'block_1/out', 'block_2/heads', 'block_2/out', 'logit'].map((path) => [
        path,
        ['mean'],
      ]),
    );
  });

  test('keeps the newest passes, and shows the latest alone', () => {
    const { manager, someModel } = managed({ maxCapturedStates: 2 });
    manager.registerMonitoringHook('**', { id: 'm' });
    for (let i = 0; i < 5; i++) run(someModel, X);
    expect(manager.getMetrics('m')).toHaveLength(6);
    expect(manager.getLatestMetrics('m')).toEqual(manager.getMetrics('m').slice(3));
  });

  test('shows a NaN, and draws the histogram of the rest', () => {
    const { manager, someModel } = managed({}, new Blocks());
    manager.registerMonitoringHook('embed', { id: 'm', metrics: ['mean', 'max', 'nonFinite', 'histogram'] });
    run(someModel as never, tf.tensor2d([[Number.NaN, 1, 2, Number.POSITIVE_INFINITY]]));
    const [record] = manager.getMetrics('m');
    expect(record!.values).toEqual({ mean: Number.NaN, max: Number.POSITIVE_INFINITY, nonFinite: 2 });
    expect(record!.histogram).toMatchObject({ num: 2, min: 1, max: 2 });
  });
});

describe('a debug hook', () => {
  test('finds NaN, values out of range, and what a function says', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    const heard: DebugFinding[] = [];
    manager.registerDebugHook('**', { id: 'nan', onFinding: (finding) => void heard.push(finding) });
    manager.registerDebugHook('first', { id: 'range', conditions: { range: [0, 0.1] } });
    manager.registerDebugHook('out', {
      id: 'custom',
      conditions: { custom: ({ output, training }) => !training && `has shape ${output.shape}` },
    });
    run(someModel, X);
    expect(manager.getFindings('nan')).toEqual([]);
    expect(manager.getFindings('range')).toMatchObject([{ id: 'range', path: 'first', condition: 'range' }]);
    expect(manager.getFindings('range')[0]!.message).toMatch(
      /^The output of "first" goes from 0 to [\d.]+, outside of 0 to 0\.1\.$/,
    );
    expect(manager.getFindings('custom')[0]!.message).toBe('The output of "out" has shape 2,1.');

    manager.registerInterventionHook('second', { transform: ({ output }) => tf.div(output, 0) });
    run(someModel, X);
    expect(heard.map(({ path, condition }) => `${path} ${condition}`)).toEqual(['second nan', 'out nan']);
    expect(heard[0]!.message).toMatch(
      /^The output of "second" has \d of 6 values that are NaN or infinite\.$/,
    );
  });

  test('can end the pass there', () => {
    const { manager, someModel } = managed();
    manager.registerDebugHook('first', { id: 'strict', conditions: { range: [-0.1, 0.1] }, action: 'throw' });
    const before = tf.memory().numTensors;
    expect(() => run(someModel, X)).toThrow(
      expect.objectContaining({
        code: 'DEBUG_CONDITION',
        message: expect.stringContaining('Debug hook "strict"'),
      }),
    );
    expect(tf.memory().numTensors).toBe(before);
    expect(manager.getFindings('strict')).toHaveLength(1);
  });

  test('follows the gradient: too small, too large, or no number', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    manager.registerDebugHook('**', { id: 'flow', conditions: { gradient: { min: 0.1, max: 100 } } });
    const scale = manager.registerInterventionHook('second', {
      transformGradient: ({ gradient }) => tf.mul(gradient, 1e-6),
    });
    const backward = (): string[] => {
      manager.clearRecords();
      tf.dispose(
        tf.variableGrads(() => tf.sum(someModel.apply(X, { training: true }) as tf.Tensor)) as never,
      );
      return manager.getFindings('flow').map(({ path, message }) => `${path}: ${message.split(', ')[1]}`);
    };
    expect(backward()).toEqual(['first: below 0.1.']);
    manager.removeHook(scale);
    expect(backward()).toEqual([]);
    manager.registerInterventionHook('second', {
      transformGradient: ({ gradient }) => tf.mul(gradient, 1e6),
    });
    expect(backward()).toEqual(['first: above 100.']);
  });

  test('breaks into the debugger and goes on', () => {
    const { manager, someModel } = managed();
    manager.registerDebugHook('first', { id: 'b', conditions: { custom: () => true }, action: 'break' });
    expect(run(someModel, X).shape).toEqual([2, 1]);
    expect(manager.getFindings('b')).toHaveLength(1);
  });
});

describe('an intervention hook', () => {
  test('is refused unless interventions are enabled', () => {
    const { manager } = managed();
    expect(() =>
      manager.registerInterventionHook('first', { id: 'x', transform: ({ output }) => output }),
    ).toThrow(
      expect.objectContaining({
        code: 'INTERVENTION_DISABLED',
        message: expect.stringContaining('enableIntervention: true'),
      }),
    );
    expect(manager.listHooks()).toEqual([]);
  });

  test('changes outputs and inputs, and observers see what it made, whoever came first', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    manager.registerCaptureHook('second', { id: 'c' });
    manager.registerInterventionHook('second', {
      id: 'zero',
      transform: ({ output }) => tf.zerosLike(output),
    });
    expect(numbers(run(someModel, X))).toEqual([0, 0]);
    expect(values(manager.getCapturedStates('c')[0]!)).toEqual(Array(6).fill(0));
    manager.removeHook('zero');
    expect(numbers(run(someModel, X))).not.toEqual([0, 0]);
    manager.registerInterventionHook('out', { transformInput: ({ input }) => tf.zerosLike(input) });
    expect(numbers(run(someModel, X))).toEqual([0, 0]);
    expect(() => manager.registerInterventionHook('out', {})).toThrow('has nothing to do');
  });
});

describe('hooks', () => {
  test('have ids of their own, are listed, and are named when they are not there', () => {
    const { manager } = managed();
    manager.registerCaptureHook('first', { id: 'a' });
    manager.registerMonitoringHook('**', { id: 'b' });
    expect(manager.listHooks()).toEqual([
      { id: 'a', kind: 'capture', paths: ['first'] },
      { id: 'b', kind: 'monitor', paths: ['first', 'second', 'out'] },
    ]);
    expect(() => manager.registerDebugHook('first', { id: 'a' })).toThrow('already a hook with the id "a"');
    expect(() => manager.getCapturedStates('c')).toThrow(
      'There is no hook with the id "c". Hooks here: a, b.',
    );
    expect(() => manager.getCapturedStates('b')).toThrow('"b" is a monitor hook');
    expect(() => manager.registerCaptureHook('frst', { id: 'c' })).toThrow('Nearest: first');
    expect(() => manager.registerCaptureHook(layers.dense({ units: 1, name: 'stranger' }))).toThrow(
      'The layer "stranger" is not in the model. It has: first, second, out.',
    );
    expect(() => manager.registerCaptureHook('first', { layerindex: 1 } as never)).toThrow(
      'Did you mean "layerIndex"?',
    );
    expect(() => manager.registerMonitoringHook('first', { metrics: ['men'] as never })).toThrow(
      'a list of mean, std',
    );
    expect(() => manager.registerDebugHook('first', { conditions: { nans: true } as never })).toThrow(
      '"nans"',
    );
    expect(() => new TapManager(mlp(), { memoryLimit: 1 } as never)).toThrow('Did you mean "memoryLimitMb"?');
    expect(manager.listHooks()).toHaveLength(2);
  });

  test('may be registered and removed by hooks while the model runs', () => {
    const { manager, someModel } = managed();
    let round = 0;
    manager.registerDebugHook('first', {
      id: 'changing',
      conditions: {
        custom: () => {
          round++;
          if (round === 1) manager.registerCaptureHook('**', { id: 'late' });
          if (round === 2) manager.removeHook('late');
          if (round === 2) manager.removeHook('changing');
          return false;
        },
      },
    });
    run(someModel, X);
    // A call that runs finishes on the list it began with; the layers after it have the new hook.
    expect(manager.getCapturedStates('late').map(({ path }) => path)).toEqual(['second', 'out']);
    run(someModel, X);
    expect(manager.listHooks()).toEqual([]);
    expect(manager.capturedBytes).toBe(0);
    expect(someModel.layers.some((layer) => Object.hasOwn(layer, 'call'))).toBe(false);
  });

  test('of two models that run interleaved keep to their own', () => {
    const [a, b] = [managed(), managed()];
    a.manager.registerCaptureHook('**', { id: 'a' });
    b.manager.registerCaptureHook('**', { id: 'b' });
    // One runs inside the other.
    a.manager.registerDebugHook('first', {
      conditions: {
        custom: () => {
          run(b.someModel, tf.neg(X));
          return false;
        },
      },
    });
    run(a.someModel, X);
    const [ofA, ofB] = [a.manager.getCapturedStates('a'), b.manager.getCapturedStates('b')];
    for (const [states, x] of [
      [ofA, X],
      [ofB, tf.neg(X)],
    ] as const) {
      expect(states.map(({ path }) => path)).toEqual(['first', 'second', 'out']);
      expect(new Set(states.map(({ pass }) => pass)).size).toBe(1);
      expect([...states[0]!.inputs[0]!.data]).toEqual(numbers(x));
    }
    expect(ofA[0]!.pass).not.toBe(ofB[0]!.pass);
  });

  test('move with the manager to another model', () => {
    const { manager, someModel } = managed();
    manager.registerCaptureHook('first', { id: 'a' });
    const other = sequential({ layers: [layers.dense({ units: 2, inputShape: [3], name: 'first' })] });
    manager.attach(other);
    run(someModel, X);
    expect(manager.getCapturedStates('a')).toEqual([]);
    run(other, X);
    expect(manager.getCapturedStates('a')[0]!.outputs[0]!.shape).toEqual([2, 2]);
  });

  test('leak no tensor when what they were given throws', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    manager.registerCaptureHook('**', { id: 'a', store: 'device' });
    manager.registerDebugHook('second', {
      conditions: {
        custom: () => {
          throw new Error('boom');
        },
      },
    });
    const before = tf.memory().numTensors;
    for (let i = 0; i < 3; i++) expect(() => run(someModel, X)).toThrow('boom');
    manager.dispose();
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('captured states', () => {
  test('can be handed to a worker thread, moved or copied', async () => {
    const { manager, someModel } = managed();
    manager.registerCaptureHook('**', { id: 'a' });
    run(someModel, X);
    const states = manager.getCapturedStates('a');
    const sums = states.map((state) => values(state).reduce((a, b) => a + b));
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
       parentPort.once('message', (states) => parentPort.postMessage(states.map((state) => ({
         path: state.path,
         isFloat32: state.outputs[0].data instanceof Float32Array,
         sum: state.outputs[0].data.reduce((a, b) => a + b),
       }))));`,
      { eval: true },
    );
    try {
      const answer = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      worker.postMessage(
        states,
        states.flatMap(({ outputs }) => outputs.map(({ data }) => data.buffer as ArrayBuffer)),
      );
      expect(await answer).toEqual(
        ['first', 'second', 'out'].map((path, i) => ({
          path,
          isFloat32: true,
          sum: Math.fround(sums[i]!) === sums[i] ? sums[i] : expect.closeTo(sums[i]!, 5),
        })),
      );
    } finally {
      await worker.terminate();
    }
  });

  test('are written to a safetensors file, with where and when', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hookline-activations-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { manager, someModel } = managed();
    manager.registerCaptureHook('first', { id: 'a', layerIndex: 0 });
    manager.registerCaptureHook('out', { id: 'b', captureInput: false });
    run(someModel, X);
    run(someModel, X);
    const file = join(folder, 'states.safetensors');
    await manager.saveCapturedStates(file);
    const opened = await openSafetensors(file);
    try {
      expect([...opened.tensors.keys()].sort()).toEqual([
        'a/0/first/input',
        'a/0/first/output',
        'a/1/first/input',
        'a/1/first/output',
        'b/0/out/output',
        'b/1/out/output',
      ]);
      const read = await opened.read('a/1/first/output');
      expect([...(read.data as Float32Array)]).toEqual(values(manager.getCapturedStates('a')[1]!));
      expect(JSON.parse(opened.metadata.get('a/1/first')!)).toMatchObject({
        id: 'a',
        layerIndex: 0,
        path: 'first',
      });
    } finally {
      await opened.close();
    }
    await manager.saveCapturedStates(file, 'b');
  });
});

describe('on a device of its own', () => {
  test('all statistics of a pass are read in one transfer, and are the same', async () => {
    const metrics = [
      'mean',
      'std',
      'norm',
      'min',
      'max',
      'sparsity',
      'dead',
      'nonFinite',
      'histogram',
      'gradient',
    ] as const;
    const train = (someModel: ReturnType<typeof mixed>): void =>
      tf.dispose(
        tf.variableGrads(() => tf.sum(someModel.apply(SEQUENCE, { training: true }) as tf.Tensor)) as never,
      );
    const measure = (someModel: ReturnType<typeof mixed>): TapManager => {
      const manager = new TapManager(someModel);
      manager.registerMonitoringHook('**', { id: 'm', metrics });
      manager.registerDebugHook('**', { id: 'd', conditions: { nan: true, range: [-0.5, 0.5] } });
      manager.registerCaptureHook('out', { id: 's', store: 'statistics' });
      train(someModel);
      return manager;
    };
    const expected = measure(mixed());
    await onDevice(async (reads) => {
      const someModel = mixed();
      train(someModel);
      const ofModel = reads(); // some layers read a shape or an index
      const before = tf.memory().numTensors;
      const manager = measure(someModel);
      expect(reads()).toBe(ofModel * 2);
      await manager.settle();
      expect(reads()).toBe(ofModel * 2 + 1);
      const strip = ({ pass: _, ...rest }: { pass: number }) => rest;
      const close = (value: unknown): unknown => {
        if (typeof value === 'number') return expect.closeTo(value, 5);
        if (Array.isArray(value)) return value.map(close);
        if (typeof value !== 'object' || value === null) return value;
        return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, close(each)]));
      };
      expect(manager.getMetrics('m').map(strip)).toEqual(close(expected.getMetrics('m').map(strip)));
      expect(manager.getFindings('d').map(({ path, condition }) => path + condition)).toEqual(
        expected.getFindings('d').map(({ path, condition }) => path + condition),
      );
      expect(manager.getCapturedStates('s').map(strip)).toEqual(
        close(expected.getCapturedStates('s').map(strip)),
      );
      expect(reads()).toBe(ofModel * 2 + 1);
      manager.dispose();
      expect(tf.memory().numTensors).toBe(before);
    });
    expected.dispose();
  });

  test('states for the host wait for settle, or for whoever asks first', async () => {
    await onDevice(async (reads) => {
      const { manager, someModel } = managed();
      manager.registerCaptureHook('first', { id: 'a' });
      const before = [reads(), tf.memory().numTensors];
      const output = run(someModel, X);
      expect(reads()).toBe(before[0]);
      await manager.settle();
      expect(reads()).toBe(before[0]! + 2);
      output.dispose();
      expect(tf.memory().numTensors).toBe(before[1]);
      expect(values(manager.getCapturedStates('a')[0]!)).toHaveLength(8);
      expect(reads()).toBe(before[0]! + 2);
    });
  });

  test('statistics that nobody reads do not fill the memory', async () => {
    await onDevice(() => {
      const { manager, someModel } = managed();
      manager.registerMonitoringHook('**', { id: 'm', metrics: ['mean'] });
      const before = tf.memory().numTensors;
      for (let i = 0; i < 350; i++) tf.dispose(run(someModel, X));
      expect(tf.memory().numTensors - before).toBe(350 * 3 - 1024);
      manager.clearRecords();
      expect(tf.memory().numTensors).toBe(before);
    });
  });

  test('a condition that ends the pass is judged at once', async () => {
    await onDevice(() => {
      const { manager, someModel } = managed();
      manager.registerDebugHook('first', { conditions: { range: [-0.1, 0.1] }, action: 'throw' });
      expect(() => run(someModel, X)).toThrow('outside of -0.1 to 0.1');
    });
  });
});
