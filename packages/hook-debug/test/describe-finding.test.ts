import { describe, expect, test } from 'vitest';
import type { NonFiniteValues } from '../src/check/non-finite-values.js';
import { describeFinding, fieldsOf, headline } from '../src/finding/describe-finding.js';
import { type Finding, firstParameter } from '../src/finding/finding.js';

const bad = (path: string): NonFiniteValues => ({ path, nan: 1, infinite: 0, size: 4, first: [0] });

/** A finding of which only the given parts are bad. */
function finding(parts: Partial<Finding> = {}): Finding {
  return {
    ...{ step: 7, epoch: 1, batchIndex: 2, loaderName: 'train', loss: undefined, batch: [], weights: [] },
    ...{ layer: undefined, buffers: [], gradients: [], layerProblem: undefined },
    ...parts,
  };
}

const layer = { path: 'hidden', callIndex: 0, output: bad('hidden') };

describe('the headline', () => {
  const where = 'epoch 2, batch 3 of loader "train" (step 7)';

  test('says what is bad first: the loss, the gradients, a layer, or what the forward pass wrote', () => {
    expect(headline(finding({ loss: Number.NaN, gradients: [bad('w')], layer }))).toBe(
      `the loss is NaN at ${where}`,
    );
    expect(headline(finding({ loss: -Infinity }))).toBe(`the loss is -Infinity at ${where}`);
    expect(headline(finding({ gradients: [bad('w')], layer }))).toBe(`gradients are not finite at ${where}`);
    expect(headline(finding({ layer }))).toBe(`the output of layer hidden is not finite at ${where}`);
    expect(headline(finding({ buffers: [bad('mean')] }))).toBe(
      `weights that are not trained are not finite after ${where}`,
    );
  });
});

describe('the message', () => {
  test('blames the layer only when input and weights are fine', () => {
    const innocent = describeFinding(finding({ loss: Number.NaN, layer }));
    expect(innocent).toContain(
      'The first layer with a bad output is hidden: 1 NaN of 4 values, first at [0], from finite input and weights.',
    );
    const guilty = describeFinding(finding({ loss: Number.NaN, layer, batch: [bad('xs')] }));
    expect(guilty).toContain('The batch already contains it: xs (1 NaN of 4 values, first at [0]).');
    expect(guilty).not.toContain('from finite input');
  });

  test('names the use of a layer that is called several times', () => {
    expect(describeFinding(finding({ layer: { ...layer, callIndex: 2 } }))).toContain(
      'is hidden (use 3 in the pass)',
    );
  });

  test('says why the layer is not known', () => {
    expect(describeFinding(finding({ loss: Number.NaN, layerProblem: 'out of memory' }))).toContain(
      'The first bad layer is not known, because the batch could not be run again (out of memory).',
    );
  });

  test('names four and counts the rest', () => {
    const gradients = ['a', 'b', 'c', 'd', 'e', 'f'].map(bad);
    expect(describeFinding(finding({ gradients }))).toMatch(
      / d \([^)]*\) and 2 more; the backward pass reached f first\./,
    );
  });

  test('says how far a bad loss has spread', () => {
    const spread = (...paths: string[]) =>
      describeFinding(finding({ loss: Number.NaN, gradients: paths.map(bad) }));
    expect(spread('w')).toContain('It spread to the gradient of w.');
    expect(spread('v', 'w')).toContain('It spread to 2 gradients, first to that of w.');
  });
});

test('programs get the place, the layer and the first parameter that went bad', () => {
  expect(fieldsOf(finding())).toEqual({ epoch: 1, batch: 2, loader: 'train', step: 7 });
  expect(fieldsOf(finding({ layer, gradients: [bad('v'), bad('w')] }))).toMatchObject({
    layer: 'hidden',
    parameter: 'w',
  });
  expect(firstParameter(finding({ weights: [bad('old')], gradients: [bad('new')] }))).toBe('old');
  expect(firstParameter(finding())).toBeUndefined();
});
