import * as tf from '@tensorflow/tfjs-core';
import { input, layers, model, type SymbolicTensor } from '@tensorflow/tfjs-layers';
import { describe, expect, it } from 'vitest';
import { layerPaths, type Tap, type TapEvent, tap } from '../src/index.js';
import { mlp, ZOO_PATHS, zoo } from './models.js';

const X = tf.tensor2d([
  [1, 2, 3],
  [-1, 0.5, 2],
]);

const numbers = (tensor: unknown): number[] => Array.from((tensor as tf.Tensor).dataSync());

describe('a tap', () => {
  it('sees what the layer got and what it made, on the real values', () => {
    const someModel = mlp();
    const seen: Record<string, number[]> = {};
    let event: TapEvent | undefined;
    const dense = tap(someModel, 'dense_2', (e) => {
      event = e;
      seen.input = numbers(e.inputs[0]);
      seen.output = numbers(e.output);
    });
    someModel.predict(X);
    dense.remove();

    const [first, second] = someModel.layers;
    const expectedInput = first!.apply(X) as tf.Tensor;
    expect(seen.input).toEqual(numbers(expectedInput));
    expect(seen.output).toEqual(numbers(second!.apply(expectedInput)));
    expect(event).toMatchObject({ path: 'dense_2', training: false, callIndex: 0 });
    expect(event!.layer).toBe(second);
    expect(event!.outputs).toEqual([event!.output]);
  });

  it('fires for every kind of layer, in the order of the run', () => {
    const someModel = zoo();
    const order: string[] = [];
    const all = tap(someModel, '**', ({ path, callIndex }) => {
      if (callIndex === 0) order.push(path);
    });
    expect(all.paths).toEqual(ZOO_PATHS);
    someModel.predict(tf.ones([2, 5, 6]));
    all.remove();
    expect(new Set(order)).toEqual(new Set(ZOO_PATHS));
    // A layer is done after the layers inside it.
    expect(order.filter((path) => path.startsWith('bidi'))).toEqual([
      'bidi/forward/cell',
      'bidi/forward',
      'bidi/backward/cell',
      'bidi/backward',
      'bidi',
    ]);
  });

  it('knows whether the model trains', async () => {
    const someModel = mlp();
    const flags: boolean[] = [];
    someModel.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
    const dense = tap(someModel, 'dense_1', ({ training }) => void flags.push(training));
    await someModel.trainOnBatch(X, tf.ones([2, 1]));
    someModel.evaluate(X, tf.ones([2, 1]));
    someModel.apply(X, { training: true });
    someModel.apply(X);
    dense.remove();
    expect(flags).toEqual([true, false, true, false]);
  });

  it('leaves the numbers exactly as they are when it only looks', () => {
    const someModel = zoo();
    const x = tf.randomNormal([2, 5, 6], 0, 1, 'float32', 7);
    const untapped = numbers(someModel.predict(x));
    const all = tap(someModel, '**', () => {});
    expect(numbers(someModel.predict(x))).toEqual(untapped);
    all.remove();
  });

  it('leaks no tensor, in predict or in training', () => {
    const someModel = mlp();
    const run = (): void => {
      tf.dispose(someModel.predict(X));
      const { value, grads } = tf.variableGrads(() => tf.sum(someModel.apply(X) as tf.Tensor));
      tf.dispose([value, grads as never]);
    };
    run();
    const before = tf.memory().numTensors;
    const scaled = tap(someModel, '**', ({ output }) => tf.mul(output, 2));
    for (let i = 0; i < 3; i++) run();
    scaled.remove();
    expect(tf.memory().numTensors).toBe(before);
  });

  it('passes a symbolic call on untouched', () => {
    const symbolic = input({ shape: [3] });
    class Passing extends layers.Layer {
      static className = 'Passing';
    }
    const passing = new Passing({});
    const someModel = model({ inputs: symbolic, outputs: passing.apply(symbolic) as SymbolicTensor });
    let calls = 0;
    const tapped = tap(someModel, 'passing_1', () => void calls++);
    expect(passing.call(symbolic as never, {})).toBe(symbolic);
    expect(calls).toBe(0);
    someModel.predict(X);
    expect(calls).toBe(1);
    tapped.remove();
  });

  it('ends the pass with the error of its handler, and the model works afterwards', () => {
    const someModel = zoo();
    const failing = tap(someModel, 'bidi/forward/cell', () => {
      throw new Error('boom');
    });
    expect(() => someModel.predict(tf.ones([1, 5, 6]))).toThrow('boom');
    failing.remove();
    const indices: number[] = [];
    const cell = tap(someModel, 'bidi/forward/cell', ({ callIndex }) => void indices.push(callIndex));
    someModel.predict(tf.ones([1, 5, 6]));
    cell.remove();
    expect(indices).toEqual([0, 1, 2, 3, 4]);
  });

  it('never reaches toJSON or the saved model', async () => {
    const someModel = zoo();
    const saved = async (): Promise<tf.io.ModelArtifacts> => {
      let artifacts: tf.io.ModelArtifacts | undefined;
      await someModel.save(
        tf.io.withSaveHandler(async (given) => {
          artifacts = given;
          return { modelArtifactsInfo: { dateSaved: new Date(0), modelTopologyType: 'JSON' } };
        }),
      );
      return artifacts!;
    };
    const [json, artifacts] = [someModel.toJSON(), await saved()];
    const all = tap(someModel, '**', ({ outputs }) => outputs.map((output) => tf.mul(output, 0)));
    expect(someModel.toJSON()).toBe(json);
    expect(await saved()).toEqual(artifacts);
    all.remove();
  });
});

describe('several taps', () => {
  it('of one layer run in the order in which they were added, each on the result of the one before', () => {
    const someModel = mlp();
    const untapped = numbers(someModel.predict(X));
    const seen: number[][] = [];
    const double = tap(someModel, 'dense_3', ({ output }) => tf.mul(output, 2));
    const addOne = tap(someModel, 'dense_3', ({ output }) => tf.add(output, 1));
    const look = tap(someModel, 'dense_3', ({ output }) => void seen.push(numbers(output)));
    const expected = untapped.map((value) => Math.fround(Math.fround(value * 2) + 1));
    expect(numbers(someModel.predict(X))).toEqual(expected);
    expect(seen).toEqual([expected]);
    for (const each of [double, addOne, look]) each.remove();
  });

  it('of nested layers each see their own, the outer one with what the inner one replaced', () => {
    const someModel = zoo();
    const zeroInner = tap(someModel, 'encoder/dense_2', ({ output }) => tf.zerosLike(output));
    const seen: number[][] = [];
    const outer = tap(someModel, 'encoder', ({ output }) => void seen.push(numbers(output)));
    someModel.predict(tf.ones([1, 5, 6]));
    expect(seen).toEqual([[0, 0, 0, 0]]);
    zeroInner.remove();
    outer.remove();
  });

  it('are removed in any order, and the last one leaves nothing behind', () => {
    const someModel = zoo();
    const x = tf.ones([1, 5, 6]);
    const all = [...layerPaths(someModel).values()];
    const untapped = numbers(someModel.predict(x));
    const add = (log: string[], name: string): Tap =>
      tap(someModel, ['bidi/forward/cell', 'out'], ({ path, callIndex }) => {
        if (callIndex === 0 && path === 'out') log.push(name);
      });
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
      [1, 2, 0],
    ]) {
      const log: string[] = [];
      const taps = ['a', 'b', 'c'].map((name) => add(log, name));
      const left = new Set(['a', 'b', 'c']);
      for (const index of order) {
        taps[index]!.remove();
        taps[index]!.remove();
        left.delete(['a', 'b', 'c'][index]!);
        log.length = 0;
        someModel.predict(x);
        expect(log).toEqual([...left]);
      }
      expect(all.filter((layer) => Object.hasOwn(layer, 'call'))).toEqual([]);
    }
    expect(numbers(someModel.predict(x))).toEqual(untapped);
  });

  it('are not disturbed by one that is removed twice', () => {
    const someModel = zoo();
    const gone = tap(someModel, 'lstm_1/cell', () => {});
    const indices: number[] = [];
    const left = tap(someModel, 'lstm_1/cell', ({ callIndex }) => void indices.push(callIndex));
    gone.remove();
    gone.remove();
    someModel.predict(tf.ones([1, 5, 6]));
    left.remove();
    expect(indices).toEqual([0, 1, 2, 3, 4]);
  });

  it('touch only the tapped layer and the layers around it', () => {
    const someModel = zoo();
    const touched = (): string[] =>
      [...layerPaths(someModel)].filter(([, layer]) => Object.hasOwn(layer, 'call')).map(([path]) => path);
    const cell = tap(someModel, 'bidi/forward/cell', () => {});
    expect(touched()).toEqual(['bidi', 'bidi/forward', 'bidi/forward/cell']);
    const dense = tap(someModel, 'dense_1', () => {});
    expect(touched()).toEqual(['bidi', 'bidi/forward', 'bidi/forward/cell', 'dense_1']);
    const bidi = tap(someModel, 'bidi', () => {});
    cell.remove();
    expect(touched()).toEqual(['bidi', 'dense_1']);
    dense.remove();
    bidi.remove();
    expect(touched()).toEqual([]);
  });

  it('are removed at the end of the block that declared them with using', () => {
    const someModel = mlp();
    let calls = 0;
    {
      using _tap = tap(someModel, 'dense_1', () => void calls++);
      someModel.predict(X);
    }
    someModel.predict(X);
    expect(calls).toBe(1);
  });

  it('stand on a patch that somebody else put on the layer, and give it back', () => {
    const someModel = mlp();
    const layer = someModel.layers[0]!;
    const log: string[] = [];
    const patch: typeof layer.call = (inputs, kwargs) => {
      log.push('patch');
      return Object.getPrototypeOf(layer).call.call(layer, inputs, kwargs);
    };
    layer.call = patch;
    const dense = tap(someModel, 'dense_1', () => void log.push('tap'));
    someModel.predict(X);
    dense.remove();
    expect(layer.call).toBe(patch);
    expect(log).toEqual(['patch', 'tap']);
  });

  it('go quiet under a patch that was put over them', () => {
    const someModel = mlp();
    const layer = someModel.layers[0]!;
    const log: string[] = [];
    const dense = tap(someModel, 'dense_1', () => void log.push('tap'));
    const below = layer.call;
    layer.call = (inputs, kwargs) => {
      log.push('patch');
      return below(inputs, kwargs);
    };
    someModel.predict(X);
    dense.remove();
    someModel.predict(X);
    expect(log).toEqual(['patch', 'tap', 'patch']);
  });
});

describe('a handler that changes the taps while the model runs', () => {
  it('may remove its own tap', () => {
    const someModel = mlp();
    let calls = 0;
    const once = tap(someModel, '**', () => {
      calls++;
      once.remove();
    });
    someModel.predict(X);
    expect(calls).toBe(1);
    expect(someModel.layers.some((layer) => Object.hasOwn(layer, 'call'))).toBe(false);
  });

  it('may add a tap to the running layer: it sees the next call first', () => {
    const someModel = mlp();
    let calls = 0;
    const added: Tap[] = [];
    const first = tap(
      someModel,
      'dense_1',
      () => void added.push(tap(someModel, 'dense_1', () => void calls++)),
    );
    someModel.predict(X);
    first.remove();
    expect(calls).toBe(0);
    someModel.predict(X);
    expect(calls).toBe(1);
    for (const each of added) each.remove();
  });

  it('may remove other taps and add new ones: a running call finishes on the list it began with', () => {
    const someModel = mlp();
    const log: string[] = [];
    const added: Tap[] = [];
    const first = tap(someModel, 'dense_1', () => {
      log.push('first');
      second.remove();
      added.push(tap(someModel, 'dense_1', () => void log.push('added to this layer')));
      added.push(tap(someModel, 'dense_2', () => void log.push('added to the next')));
    });
    const second = tap(someModel, 'dense_1', () => void log.push('second'));
    someModel.predict(X);
    expect(log).toEqual(['first', 'second', 'added to the next']);
    first.remove();
    log.length = 0;
    someModel.predict(X);
    expect(log).toEqual(['added to this layer', 'added to the next']);
    for (const each of added) each.remove();
  });

  it('may remove the taps of the layer around it, in the middle of an RNN', () => {
    const someModel = zoo();
    const log: string[] = [];
    const around = tap(someModel, 'lstm_1', () => void log.push('lstm'));
    const cell = tap(someModel, 'lstm_1/cell', ({ callIndex }) => {
      log.push(`step ${callIndex}`);
      if (callIndex !== 2) return;
      around.remove();
      cell.remove();
    });
    someModel.predict(tf.ones([1, 5, 6]));
    expect(log).toEqual(['step 0', 'step 1', 'step 2', 'lstm']);
    log.length = 0;
    someModel.predict(tf.ones([1, 5, 6]));
    expect(log).toEqual([]);
    expect(Object.hasOwn(layerPaths(someModel).get('lstm_1')!, 'call')).toBe(false);
  });
});
