import { errorOf } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import { choice, integer, uniform } from '../src/space.js';
import { defineSweep, type SweepConfig, sweepOf } from '../src/sweep-config.js';

const space = { lr: uniform(0, 1) };
const of = (config: Partial<SweepConfig> = {}, epochs = 9) => sweepOf({ space, ...config }, epochs);

test('a sweep that names only its space has defaults for the rest', () => {
  expect(of()).toEqual({
    space,
    search: 'tpe',
    trials: 20,
    monitor: 'val/loss',
    mode: 'min',
    seed: 0,
    rungs: [1, 3, 9],
    factor: 3,
  });
  const config = { space, trials: 3 };
  expect(defineSweep(config)).toBe(config);
});

describe('rungs', () => {
  test.each<[SweepConfig['halving'], number, number[]]>([
    [undefined, 9, [1, 3, 9]],
    [undefined, 10, [1, 3, 9, 10]],
    [{ minEpochs: 2, factor: 2 }, 16, [2, 4, 8, 16]],
    [{ minEpochs: 5 }, 4, [4]],
    [undefined, 1, [1]],
    [false, 9, [9]],
    // A rung that would round up to the whole training is the whole training.
    [{ factor: 2.4 }, 6, [1, 2, 6]],
    [{ factor: 2.5 }, 40, [1, 3, 6, 16, 39, 40]],
  ])('%j of %i epochs: %j', (halving, epochs, rungs) => {
    expect(of(halving === undefined ? {} : { halving }, epochs).rungs).toEqual(rungs);
  });

  test('grow, whatever the factor, and end with a whole training', () => {
    for (let factor = 2; factor < 5; factor += 0.05) {
      for (const epochs of [1, 2, 3, 6, 7, 10, 24, 100]) {
        const { rungs } = of({ halving: { factor } }, epochs);
        expect(rungs.at(-1)).toBe(epochs);
        const grow = rungs.every((rung, at) => at === 0 || rung > rungs[at - 1]!);
        expect(grow, `factor ${factor}, ${epochs} epochs: ${rungs}`).toBe(true);
      }
    }
  });
});

describe('a grid', () => {
  const grid = { space: { a: choice(1, 2, 3), b: integer(1, 2) }, search: 'grid' } as const;

  test('has as many trials as points, or fewer where that is asked for, never more', () => {
    expect(of(grid).trials).toBe(6);
    expect(of({ ...grid, trials: 4 }).trials).toBe(4);
    expect(of({ ...grid, trials: 60 }).trials).toBe(6);
  });
});

test('the mode follows from the metric, unless that says nothing', async () => {
  expect(of({ monitor: 'val/accuracy', mode: 'max' }).mode).toBe('max');
  const error = await errorOf(() => of({ monitor: 'val/accuracy' }));
  expect(error.message).toContain('val/accuracy');
});

test.each<[object, string]>([
  [{ seed: -1 }, '"seed" must be a whole number of at least 0'],
  [{ workers: 0 }, '"workers" must be a whole number of at least 1'],
  [{ search: 'bayes' }, '"search" must be'],
  [{ halving: true }, '"halving" must be'],
  [{ halving: { minEpochs: 0.5 } }, '"minEpochs" must be a whole number of at least 1'],
  [{ halving: { minEpoch: 1 } }, 'Did you mean "minEpochs"?'],
  [{ space: { epochs: choice(1, 2) } }, '"epochs" cannot be searched'],
  [{ space: {} }, 'The search space is empty'],
])('%j is refused by name', async (config, message) => {
  expect((await errorOf(() => of(config as Partial<SweepConfig>))).message).toContain(message);
});
