import { drivenHook } from '@hookline/test-runs';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { flatConfig, runConfig } from '../../src/service/run-config.js';

const contextIn = (dir: string) =>
  drivenHook({ name: 'log' }, { run: { dir, seed: 7 }, state: { backend: 'wasm', modelParams: 49 } }).ctx;

test('the config is that of the run record', () => {
  const dir = tempFolder({
    'run.json': { config: { epochs: 3, seed: 8, optimizer: { name: 'adam', lr: 0.1 } } },
  });
  expect(runConfig(contextIn(dir))).toEqual({
    ...{ seed: 8, backend: 'wasm', parameters: 49 },
    ...{ epochs: 3, optimizer: { name: 'adam', lr: 0.1 } },
  });
});

test.each([
  ['there is no record', {}],
  ['the record is not JSON', { 'run.json': '{ "config": {' }],
])('when %s it is what the run itself knows', (_what, files) => {
  expect(runConfig(contextIn(tempFolder(files)))).toEqual({ seed: 7, backend: 'wasm', parameters: 49 });
});

test('a table has dotted names, lists as text, and neither empty settings nor those of hooks', () => {
  expect(
    flatConfig({
      ...{ epochs: 3, shuffle: true, resume: null },
      optimizer: { name: 'adam', groups: [{ lr: 0.1 }, { lr: 0.2 }] },
      hooks: { 'json-log': { every: 5 } },
    }),
  ).toEqual({
    ...{ epochs: 3, shuffle: true },
    ...{ 'optimizer.name': 'adam', 'optimizer.groups': '[{"lr":0.1},{"lr":0.2}]' },
  });
});
