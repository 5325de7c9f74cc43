import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, it } from 'vitest';
import { layerPaths, tap } from '../src/index.js';
import { mlp, zoo } from './models.js';

describe('a filter that matches nothing', () => {
  const errorOf = (run: () => unknown): { code: string; message: string } => {
    try {
      run();
    } catch (error) {
      return error as { code: string; message: string };
    }
    throw new Error('nothing was thrown');
  };

  it('is an error with the nearest paths', () => {
    const { code, message } = errorOf(() => tap(zoo(), 'encodr/dense_2', () => {}));
    expect(code).toBe('NO_LAYER_MATCHES');
    expect(message).toContain('"encodr/dense_2"');
    expect(message).toContain('Nearest: encoder/dense_2,');
  });

  it('finds the path of somebody who wrote the last segment, or the name that tfjs gave', () => {
    const someModel = zoo();
    expect(errorOf(() => tap(someModel, 'dense_2', () => {})).message).toContain('Nearest: encoder/dense_2,');
    const generated = layerPaths(someModel).get('encoder/dense_1')!.name;
    expect(errorOf(() => tap(someModel, generated, () => {})).message).toContain('Nearest: encoder/dense_1,');
  });

  it('is an error for globs, patterns, functions and the empty list too', () => {
    for (const filter of ['decoder/**', /^decoder/, () => false, []]) {
      expect(errorOf(() => tap(zoo(), filter, () => {})).code).toBe('NO_LAYER_MATCHES');
    }
    expect(errorOf(() => tap(zoo(), /^decoder/, () => {})).message).toContain('It has td, td/layer, bidi,');
  });

  it('is an error for each entry of a list, and leaves no tap behind', () => {
    const someModel = mlp();
    const { message } = errorOf(() => tap(someModel, ['dense_1', 'densest'], () => {}));
    expect(message).toContain('"densest"');
    expect(someModel.layers.some((layer) => Object.hasOwn(layer, 'call'))).toBe(false);
  });

  it('is an error for a model without layers', () => {
    expect(errorOf(() => tap(sequential(), '**', () => {})).message).toContain('no layers');
  });

  it('names the inner layers when tfjs never calls the layer: a model that begins a Sequential', () => {
    const inner = sequential({
      name: 'encoder',
      layers: [layers.dense({ units: 2, inputShape: [3] }), layers.dense({ units: 2 })],
    });
    const outer = sequential({ layers: [inner, layers.dense({ units: 1 })] });
    const { code, message } = errorOf(() => tap(outer, 'encoder', () => {}));
    expect(code).toBe('LAYER_NEVER_CALLED');
    expect(message).toContain('encoder/dense_1, encoder/dense_2');

    const order: string[] = [];
    const all = tap(outer, '**', ({ path, callIndex }) => void order.push(`${path} ${callIndex}`));
    expect(all.paths).toEqual(['encoder/dense_1', 'encoder/dense_2', 'dense_1']);
    outer.predict(tf.ones([1, 3]));
    all.remove();
    expect(order).toEqual(['encoder/dense_1 0', 'encoder/dense_2 0', 'dense_1 0']);
  });

  it('is not confused with a handler that is missing', () => {
    expect(errorOf(() => tap(mlp(), 'dense_1', undefined as never)).code).toBe('BAD_HANDLER');
  });
});
