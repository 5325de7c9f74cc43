import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { regression, regressor, tempFolder } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import type { Hyperparameters } from '../../../src/index.js';
import { expectError, fitError } from '../../support/fit-error.js';
import { quietTrainer } from '../../support/quiet-trainer.js';

const project = () => tempFolder({ 'package.json': { name: 'project' } });

async function recorded(hyperparameters: Hyperparameters, root = project()) {
  let seen: unknown;
  const reads: Hook = {
    name: 'reads',
    setup: ({ run }) => {
      seen = JSON.parse(readFileSync(join(run.dir!, 'run.json'), 'utf8')).config.hyperparameters;
    },
  };
  const trainer = quietTrainer({
    model: regressor(),
    root,
    runsDir: 'runs',
    hyperparameters,
    hooks: [reads],
  });
  const { runDir } = await trainer.fit({ train: regression(8), epochs: 1 });
  const text = readFileSync(join(runDir, 'run.json'), 'utf8');
  return { text, seen, record: JSON.parse(text) };
}

describe('hyperparameters', () => {
  test('are in the config of the run, where hooks can read them from setup on, and in its hash', async () => {
    const own = { units: 64, augment: { flip: true, crops: [1, 0.5] }, note: 'wide', dropout: null };
    const root = project();
    const { record, seen } = await recorded(own, root);
    expect(record.config.hyperparameters).toEqual(own);
    expect(seen).toEqual(own);
    const { note, ...rest } = own;
    expect((await recorded({ note, ...rest }, root)).record.configHash).toBe(record.configHash);
    expect((await recorded({ ...own, units: 32 }, root)).record.configHash).not.toBe(record.configHash);
  });

  test('a secret among them is masked, and still tells runs apart', async () => {
    const root = project();
    const { record, text } = await recorded({ units: 64, store: { apiKey: 'my-own-key-1' } }, root);
    expect(record.config.hyperparameters).toEqual({ units: 64, store: { apiKey: '[redacted]' } });
    expect(text).not.toContain('my-own-key');
    const other = await recorded({ units: 64, store: { apiKey: 'my-own-key-2' } }, root);
    expect(other.record.configHash).not.toBe(record.configHash);
  });

  const circle: Record<string, unknown> = {};
  circle.self = circle;
  test.each<[string, unknown, string]>([
    ['a function', { model: { activation: () => 0 } }, 'hyperparameters.model.activation is a function'],
    ['a class', { layers: [1, new Map()] }, 'hyperparameters.layers[1] is a Map'],
    ['undefined', { units: undefined }, 'hyperparameters.units is undefined'],
    ['NaN', { lr: { start: Number.NaN } }, 'hyperparameters: start is NaN'],
    ['a bigint', { size: 1n }, 'hyperparameters.size is a bigint'],
    ['a circle', { circle }, 'hyperparameters.circle.self is an object that contains itself'],
    ['a list', [64], 'hyperparameters is a list, expected an object'],
    ['text', 'wide', 'hyperparameters is the text "wide", expected an object'],
    ['null', null, 'hyperparameters is null, expected an object'],
  ])('%s is refused with its place', async (_what, hyperparameters, text) => {
    expectError(await fitError({ hyperparameters }), 'BAD_OPTIONS', 'new Trainer()', text);
  });
});
