import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { gradientMonitor } from '../src/index.js';
import { selectParameters } from '../src/select-parameters.js';
import { samples, under, watchedRun } from './watched-run.js';

const PATHS = [
  'encoder/dense_1/kernel',
  'encoder/dense_1/bias',
  'encoder_2/kernel',
  'decoder/kernel',
  'decoder/bias',
];
const select = (filter: Parameters<typeof selectParameters>[1]) => [
  ...selectParameters('gradient-monitor', filter, PATHS),
];

describe('params', () => {
  test('absent means all', () => {
    expect(select(undefined)).toEqual(PATHS);
  });

  test('a plain name is a parameter, or a layer with all below it', () => {
    expect(select('decoder/bias')).toEqual(['decoder/bias']);
    expect(select('encoder')).toEqual(['encoder/dense_1/kernel', 'encoder/dense_1/bias']);
    expect(select(['encoder', 'decoder'])).toEqual([PATHS[0], PATHS[1], PATHS[3], PATHS[4]]);
    expect(select('encoder/dense_1')).toEqual([PATHS[0], PATHS[1]]);
  });

  test('globs, regular expressions and functions select what they match', () => {
    expect(select('*/kernel')).toEqual(['encoder_2/kernel', 'decoder/kernel']);
    expect(select('**/kernel')).toEqual([PATHS[0], PATHS[2], PATHS[3]]);
    expect(select(/bias$/)).toEqual(['encoder/dense_1/bias', 'decoder/bias']);
    expect(select(['decoder/*', /dense_1.bias/])).toEqual([PATHS[3], PATHS[4], PATHS[1]]);
    expect(select((path) => path.length === 12)).toEqual(['decoder/bias']);
  });

  test('a mistyped name is an error with the nearest one, also inside a list', () => {
    expect(() => select(['encodr', 'decoder'])).toThrow(
      /"encodr" matches no parameter\. Did you mean "encoder"\?\nParameters: encoder\/dense_1\/kernel, /,
    );
    expect(() => select('decoder/kernal')).toThrow(/Did you mean "decoder\/kernel"\?/);
    expect(() => select(/conv/)).toThrow(/\/conv\/ matches no parameter/);
    expect(() => select(() => false)).toThrow(/The function matches no parameter/);
  });

  test('a name that is deeper in the path is shown as a glob', () => {
    expect(() => select('kernel')).toThrow(/Did you mean "\*\*\/kernel"\?/);
    expect(() => select('dense_1')).toThrow(/Did you mean "\*\*\/dense_1\/\*\*"\?/);
  });

  test('the error lists no more parameters than one can read', () => {
    const many = Array.from({ length: 50 }, (_, i) => `layer${i}/kernel`);
    expect(() => selectParameters('gradient-monitor', 'nothing', many)).toThrow(
      /layer19\/kernel and 30 more\./,
    );
  });
});

test('only the selected parameters have series, and the norm of all stays the norm of all', async () => {
  const all = watchedRun([gradientMonitor()]);
  await all.fit();
  const some = watchedRun([gradientMonitor({ params: ['decoder'] })]);
  await some.fit();
  expect(Object.keys(under('grad/norm/', some.logs[0]!.values))).toEqual(['decoder/kernel', 'decoder/bias']);
  expect(some.logs[0]!.values['grad/norm']).toBe(all.logs[0]!.values['grad/norm']);
});

test('a run with a mistyped name does not start', async () => {
  const run = watchedRun([gradientMonitor({ params: 'encodr' })]);
  await expect(run.fit()).rejects.toMatchObject({
    code: 'NO_PARAMETER_MATCHES',
    message: expect.stringContaining('Did you mean "encoder"?'),
  });
  expect(run.logs).toEqual([]);
});

test('when the selected parameters get no gradient, it says so once', async () => {
  const model = () => {
    const frozen = tfl.layers.dense({ name: 'encoder', inputShape: [6], units: 5 });
    frozen.trainable = false;
    return tfl.sequential({ layers: [frozen, tfl.layers.dense({ name: 'decoder', units: 2 })] });
  };
  const run = watchedRun([gradientMonitor({ every: 1, params: 'encoder' })], { model });
  await run.fit({ train: samples(4), batchSize: 1 });
  expect(run.said.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
    'No gradient reaches the monitored parameters: encoder/kernel, encoder/bias. ' +
      'They are frozen, or the loss does not depend on them.',
  ]);
  expect(run.logs).toHaveLength(4);
});
