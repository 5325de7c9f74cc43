import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { codeReasons, recordReasons } from '../../src/cli/same-training.js';
import type { RunRecordFile } from '../../src/run/record/run-record-file.js';

const record = (more: object = {}) =>
  ({ config: { optimizer: { lr: 0.1 } }, backend: { name: 'cpu' }, ...more }) as unknown as RunRecordFile;
const data = (more: object = {}) => ({
  data: { train: { train: { samples: 32, shuffle: true, data: 'abc', ...more } }, validation: {} },
});

test('a record is the same training as itself, with and without data', () => {
  expect(recordReasons(record(), record())).toEqual([]);
  expect(recordReasons(record(data()), record(data()))).toEqual([]);
  // A run that was made before records told the data cannot be held to it.
  expect(recordReasons(record(), record(data()))).toEqual([]);
});

test.each(['seed', 'resume', 'override', 'strictResume'])('%s may differ: the bits do not', (name) => {
  expect(recordReasons(record(), record({ config: { optimizer: { lr: 0.1 }, [name]: 7 } }))).toEqual([]);
});

test('every setting that differs is named with both values', () => {
  const other = record({ config: { optimizer: { lr: 0.2 }, clip: 1 } });
  expect(recordReasons(record({ config: { optimizer: { lr: 0.1 }, loss: 'x' } }), other)).toEqual([
    'config: clip was not set and is 1',
    'config: loss was "x" and is not set',
    'config: optimizer.lr was 0.1 and is 0.2',
  ]);
});

test('data that differs is named by its loader, values by their fingerprint', () => {
  expect(recordReasons(record(data()), record(data({ data: 'xyz' })))).toEqual([
    'data: "train" has other values',
  ]);
  expect(recordReasons(record(data()), record(data({ samples: 31, shuffle: false })))).toEqual([
    'data: train.train.samples was 32 and is 31',
    'data: train.train.shuffle was true and is false',
  ]);
});

test('another backend is another training', () => {
  expect(recordReasons(record(), record({ backend: { name: 'wasm' } }))).toEqual([
    'its backend was cpu, here it is wasm',
  ]);
});

test('a commit that is not the one here is named, with how to get it', () => {
  const folder = tempFolder({ 'package.json': {} });
  const reasons = (git: object) => codeReasons({ folder, record: record({ git }) });
  const commit = 'a'.repeat(40);
  expect(reasons({ commit })).toEqual([
    `its commit is ${commit}, here it is not a git repository: git checkout ${commit}`,
  ]);
  expect(reasons({ commit: 'not a git repository', diff: null })).toEqual([]);
  expect(reasons({})).toEqual(['its commit is not recorded, here it is not a git repository']);
  expect(reasons({ commit: 'not a git repository', diff: 'abc' })).toEqual([
    'tracked files differed from its commit, and differ in another way here',
  ]);
});
