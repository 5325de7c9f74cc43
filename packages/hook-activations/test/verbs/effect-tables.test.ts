import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { ablate, ablationTable, patch, patchingTable, run, runWithCache } from '../../src/index.js';
import { SEQUENCE, STREAM } from '../managed.js';
import { Blocks, mixed, numbers } from '../models.js';

describe('patchingTable', () => {
  const metric = (output: tf.Tensor) => tf.sum(output);

  test('tells for each place how much of the clean run the clean activation brings back', async () => {
    const module = new Blocks();
    const [clean, corrupted] = [STREAM, tf.mul(STREAM, -0.5)];
    const before = tf.memory().numTensors;
    const table = await patchingTable(module, { clean, corrupted, metric });
    expect(tf.memory().numTensors).toBe(before);
    expect(table.rows.map(({ path }) => path)).toEqual([
      'embed',
      'block_1/heads',
      'block_1/out',
      'block_2/heads',
      'block_2/out',
      'logit',
    ]);
    // The stream carries everything; a block alone carries a part.
    const effects = Object.fromEntries(table.rows.map(({ path, effect }) => [path, effect]));
    for (const path of ['embed', 'block_1/out', 'block_2/out', 'logit'])
      expect(effects[path]).toBeCloseTo(1, 5);
    const { cache } = runWithCache(module, clean);
    const by = (taps: Parameters<typeof run>[2] = {}) => numbers(metric(run(module, corrupted, taps)))[0]!;
    const [none, all] = [by(), numbers(metric(run(module, clean)))[0]!];
    for (const path of ['block_1/heads', 'block_2/heads']) {
      const expected = (by({ taps: [patch(cache, path)] }) - none) / (all - none);
      expect(effects[path]).toBeCloseTo(expected, 5);
      expect(Math.abs(expected - 1)).toBeGreaterThan(0.05);
    }
    expect(table.baselines).toEqual({ clean: all, corrupted: none });
  });

  test('goes along an axis, one head at a time, and takes layers as well', async () => {
    const module = new Blocks();
    const options = { clean: STREAM, corrupted: tf.neg(STREAM), metric };
    const table = await patchingTable(module, { ...options, filter: '**/heads', along: 1 });
    expect(table.rows.map(({ path, index }) => `${path} ${index}`)).toEqual([
      'block_1/heads 0',
      'block_1/heads 1',
      'block_2/heads 0',
      'block_2/heads 1',
    ]);
    expect([...table.grid().keys()]).toEqual(['block_1/heads', 'block_2/heads']);
    expect(String(table).split('\n')).toHaveLength(3);
    expect(table.strongest(1)[0]!.effect).toBe(
      table.rows.map(({ effect }) => effect).sort((a, b) => Math.abs(b) - Math.abs(a))[0],
    );
    const layers = await patchingTable(mixed(), { clean: SEQUENCE, corrupted: tf.neg(SEQUENCE), metric });
    expect(layers.rows.find(({ path }) => path === 'td')!.effect).toBeCloseTo(1, 5);
    await expect(patchingTable(module, { ...options, filter: 'logit', along: 2 })).rejects.toThrow(
      'no axis 2',
    );
  });

  test('is an error where clean and corrupted inputs give the same metric: no effect is a share of nothing', async () => {
    const module = new Blocks();
    const before = tf.memory().numTensors;
    const same = patchingTable(module, { clean: STREAM, corrupted: STREAM, metric });
    await expect(same).rejects.toMatchObject({ code: 'SAME_METRIC' });
    expect(tf.memory().numTensors).toBe(before);
  });

  test('takes a metric that is a number, and leaks nothing when it throws', async () => {
    const module = new Blocks();
    const table = await patchingTable(module, {
      clean: STREAM,
      corrupted: tf.neg(STREAM),
      metric: (output) => numbers(output)[0]!,
      filter: 'embed',
    });
    expect(table.rows[0]!.effect).toBeCloseTo(1, 5);
    const before = tf.memory().numTensors;
    let calls = 0;
    const failing = patchingTable(module, {
      clean: STREAM,
      corrupted: STREAM,
      metric: (output) => {
        if (++calls === 4) throw new Error('boom');
        return tf.sum(output);
      },
    });
    await expect(failing).rejects.toThrow('boom');
    expect(tf.memory().numTensors).toBe(before);
  });
});

test('ablationTable tells by how much the metric changes without each head', async () => {
  const module = new Blocks();
  const metric = (output: tf.Tensor) => tf.mean(output);
  const table = await ablationTable(module, STREAM, { metric, filter: '**/heads', along: 1, how: 'mean' });
  const whole = numbers(metric(run(module, STREAM)))[0]!;
  expect(table.baselines).toEqual({ whole });
  for (const { path, index, value, effect } of table.rows) {
    const taps = [ablate(path, 'mean', { at: { axis: 1, index: index! } })];
    expect(value).toBe(numbers(metric(run(module, STREAM, { taps })))[0]);
    expect(effect).toBe(value - whole);
  }
});

describe('a table of ablations', () => {
  const metric = (output: tf.Tensor) => tf.sum(output);

  test('covers every place with zeros unless told otherwise, and leaves no tensor', async () => {
    const module = new Blocks();
    const { numTensors } = tf.memory();
    const table = await ablationTable(module, STREAM, { metric });
    expect(tf.memory().numTensors).toBe(numTensors);
    expect(table.rows.map(({ path }) => path).at(-1)).toBe('logit');
    expect(table.rows.at(-1)).toMatchObject({ value: 0, effect: -table.baselines.whole! });
    const strongest = table.strongest().map(({ effect }) => Math.abs(effect));
    expect(strongest).toEqual([...strongest].sort((a, b) => b - a));
    expect(strongest).toHaveLength(table.rows.length);
  });

  test('takes means from a run on other data, and a metric that is a plain number', async () => {
    const module = new Blocks();
    const usual = runWithCache(module, tf.neg(STREAM));
    const asNumber = (output: tf.Tensor) => numbers(metric(output))[0]!;
    const options = { metric: asNumber, filter: 'block_2/heads', how: 'mean', from: usual.cache } as const;
    const { rows } = await ablationTable(module, STREAM, options);
    const taps = [ablate('block_2/heads', 'mean', { from: usual.cache })];
    expect(rows.map(({ value }) => value)).toEqual([asNumber(run(module, STREAM, { taps }))]);
    usual.dispose();
  });

  test('is text with a row for each path and a column for each position, aligned', async () => {
    const constant = () => 0.5;
    const table = await ablationTable(new Blocks(), STREAM, {
      metric: constant,
      filter: '**/heads',
      along: -1,
    });
    expect(String(table)).toBe(
      [
        '                    0       1',
        'block_1/heads   0.000   0.000',
        'block_2/heads   0.000   0.000',
      ].join('\n'),
    );
  });

  test('leaves no tensor when the metric throws', async () => {
    const module = new Blocks();
    const { numTensors } = tf.memory();
    const boom = () => {
      throw new Error('boom');
    };
    await expect(ablationTable(module, STREAM, { metric: boom })).rejects.toThrow('boom');
    expect(tf.memory().numTensors).toBe(numTensors);
  });
});
