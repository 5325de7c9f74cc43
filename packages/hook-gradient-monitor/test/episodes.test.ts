import { expect, test } from 'vitest';
import { judge, NO_EPISODES, type Verdict } from '../src/trouble/episodes.js';
import type { LayerGradient } from '../src/trouble/layers.js';

const LIMITS = { vanishing: 0.01, exploding: 100 };
const layer = (norm: number | undefined, nonFinite = 0): LayerGradient => ({
  layer: 'dense',
  norm,
  nonFinite,
  size: 10,
});

/** What each of these gradients began (+) and ended (-). */
function turns(...gradients: LayerGradient[]): string[] {
  let episodes = NO_EPISODES;
  return gradients.map((gradient, step) => {
    const verdict: Verdict = judge(episodes, [gradient], LIMITS, step);
    episodes = verdict.episodes;
    const list = (sign: string, of: Verdict['began']) => of.map(({ trouble }) => sign + trouble);
    return [...list('+', verdict.began), ...list('-', verdict.ended)].join(' ');
  });
}

test('an episode begins past the limit, not at it', () => {
  expect(turns(layer(0.01), layer(0.0099), layer(1), layer(100), layer(100.1))).toEqual([
    '',
    '+vanishing',
    '-vanishing',
    '',
    '+exploding',
  ]);
});

test('an episode ends only when the norm is past the limit by a factor of two', () => {
  expect(turns(layer(0.009), layer(0.011), layer(0.009), layer(0.019), layer(0.02))).toEqual([
    '+vanishing',
    '',
    '',
    '',
    '-vanishing',
  ]);
  expect(turns(layer(101), layer(99), layer(51), layer(50))).toEqual(['+exploding', '', '', '-exploding']);
});

test('from one extreme to the other, one episode ends and the other begins', () => {
  expect(turns(layer(0), layer(1e9))).toEqual(['+vanishing', '+exploding -vanishing']);
});

test('NaN neither begins nor ends what a norm decides', () => {
  const nan = layer(Number.NaN, 3);
  expect(turns(layer(1e9), nan, nan, layer(1e9), layer(1))).toEqual([
    '+exploding',
    '+nonfinite',
    '',
    '-nonfinite',
    '-exploding',
  ]);
  expect(turns(layer(Infinity, 1))).toEqual(['+nonfinite']);
});

test('a sum of finite values that overflows is an explosion', () => {
  expect(turns(layer(Infinity, 0))).toEqual(['+exploding']);
});

test('layers without a gradient, or without a selected parameter, stay as they were', () => {
  const began = judge(NO_EPISODES, [layer(0)], LIMITS, 7);
  expect(judge(began.episodes, [], LIMITS, 8)).toEqual({ episodes: began.episodes, began: [], ended: [] });
  expect(judge(began.episodes, [layer(undefined)], LIMITS, 8).ended).toEqual([]);
  expect(began.episodes.vanishing.get('dense')).toBe(7);
});
