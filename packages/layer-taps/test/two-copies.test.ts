import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it, vi } from 'vitest';
import { layerPaths, tap } from '../src/index.js';
import { zoo } from './models.js';

const X = tf.ones([1, 5, 6]);

describe('two copies of the package', () => {
  it('share one override per layer and one count per pass, and may be removed in any order', async () => {
    vi.resetModules();
    const other = await import('../src/index.js');
    expect(other.tap).not.toBe(tap);

    const someModel = zoo();
    const layer = layerPaths(someModel).get('lstm_1/cell')!;
    for (const firstRemoved of [0, 1]) {
      const log: string[] = [];
      const taps = [
        tap(someModel, 'lstm_1/cell', ({ callIndex }) => void log.push(`a${callIndex}`)),
        other.tap(someModel, 'lstm_1/cell', ({ callIndex }) => void log.push(`b${callIndex}`)),
      ];
      someModel.predict(X);
      expect(log).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2', 'a3', 'b3', 'a4', 'b4']);
      taps[firstRemoved]!.remove();
      log.length = 0;
      someModel.predict(X);
      const left = firstRemoved === 0 ? 'b' : 'a';
      expect(log).toEqual([0, 1, 2, 3, 4].map((i) => `${left}${i}`));
      taps[1 - firstRemoved]!.remove();
      expect(Object.hasOwn(layer, 'call')).toBe(false);
    }
  });

  it('know each other’s errors by their code', async () => {
    vi.resetModules();
    const other = await import('../src/index.js');
    expect(() => other.tap(zoo(), 'nothing', () => {})).toThrow(
      expect.objectContaining({ code: 'NO_LAYER_MATCHES' }),
    );
  });
});
