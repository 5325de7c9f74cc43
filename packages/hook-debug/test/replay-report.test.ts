import { describe, expect, test } from 'vitest';
import type { NonFiniteValues } from '../src/check/non-finite-values.js';
import type { LayerRange } from '../src/replay/layer-ranges.js';
import { type ReplayResult, replayReport } from '../src/replay/replay-report.js';

const bad = (path: string): NonFiniteValues => ({ path, nan: 2, infinite: 0, size: 4, first: [1] });
const layer = (path: string, parts: Partial<LayerRange> = {}): LayerRange => ({
  ...{ path, shape: [2, 2], min: -1, max: 1, bad: undefined },
  ...parts,
});

/** A replay in which everything is finite but for the given parts. */
function report(parts: Partial<ReplayResult> = {}) {
  return replayReport({
    original: {
      ...{ step: 3, epoch: 0, batchIndex: 3, loaderName: 'train', loss: Number.NaN, batch: [], weights: [] },
      ...{ layer: undefined, buffers: [], gradients: [], layerProblem: undefined },
    },
    ...{ batch: [], weights: [], layers: [layer('hidden')], firstBadLayer: undefined },
    ...{ originalLoss: 0.5, isExact: true, loss: 0.5, gradients: [] },
    ...parts,
  });
}

const lastLine = ({ text }: { text: string }) => text.trimEnd().split('\n').at(-1);

describe('a replay', () => {
  test('is fine when everything is finite', () => {
    expect(report().bad).toBe(false);
    expect(lastLine(report())).toBe('Everything is finite.');
  });

  test.each([
    [{ batch: [bad('xs')] }, 'The batch itself is bad: xs.'],
    [{ weights: [bad('w')] }, 'The weights were already bad: w. An earlier update broke them.'],
    [{ firstBadLayer: 'hidden' }, 'The first bad output is that of hidden, from finite input and weights.'],
    [{ loss: Infinity }, 'All layers are finite, the loss is not: look at the loss function.'],
    [
      { gradients: [bad('v'), bad('w')] },
      'Forward pass and loss are finite. The backward pass reached w first.',
    ],
  ] as [Partial<ReplayResult>, string][])('blames what comes first: %o', (parts, conclusion) => {
    expect(report(parts).bad).toBe(true);
    expect(lastLine(report(parts))).toBe(conclusion);
  });

  test('blames the batch before everything that follows from it', () => {
    const all = { batch: [bad('xs')], firstBadLayer: 'hidden', loss: Number.NaN, gradients: [bad('w')] };
    expect(lastLine(report(all))).toBe('The batch itself is bad: xs.');
  });

  test('says whether the loss is that of the run', () => {
    expect(report().text).toContain('loss       0.5, as in the run');
    expect(report({ loss: 0.75 }).text).toContain('loss       0.75, in the run 0.5');
    expect(report({ loss: Number.NaN, originalLoss: Number.NaN }).text).toContain('NaN, as in the run');
    expect(report({ originalLoss: undefined }).text).toMatch(/loss {7}0\.5\n/);
  });

  test('says what it could not do', () => {
    expect(lastLine(report({ loss: undefined, gradients: undefined, isExact: false }))).toBe(
      'Everything is finite. Layers that draw random numbers drew different ones. ' +
        'Give the loss too: without it, loss and backward pass were not run.',
    );
  });

  test('shows range, use and mark of each layer in columns', () => {
    const layers = [
      layer('in'),
      layer('rnn/cell', { min: 0, max: 1234567, bad: { ...bad('rnn/cell'), callIndex: 2 } }),
      layer('out', { min: Number.NaN, max: Number.NaN, bad: { ...bad('out'), callIndex: 0 } }),
    ];
    expect(report({ layers, firstBadLayer: 'rnn/cell' }).text).toContain(
      [
        'layers     in        [2, 2]  -1 to 1',
        '           rnn/cell  [2, 2]  0 to 1235000, use 3: 2 NaN of 4 values, first at [1]  <- first',
        '           out       [2, 2]  2 NaN of 4 values, first at [1]',
      ].join('\n'),
    );
  });

  test('lists eight bad gradients and counts the rest', () => {
    const gradients = Array.from({ length: 11 }, (_, i) => bad(`w${i}`));
    const { text } = report({ gradients });
    expect(text).toContain('           w7: 2 NaN of 4 values, first at [1]\n           and 3 more\n');
    expect(text).not.toContain('w8:');
  });
});
