import { join } from 'node:path';
import { errorOf, tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { hooksFrom, isReference, referenced } from '../../src/config/file-reference.js';
import { isPlain } from '../../src/config/plain.js';

test.each<[unknown, boolean]>([
  ['./model.ts', true],
  ['../shared/model.ts#createModel', true],
  ['model.ts', false],
  ['/model.ts', false],
  ['.model', false],
  ['...', false],
  [undefined, false],
  [{ path: './model.ts' }, false],
])('%j is a file: %j', (value, expected) => {
  expect(isReference(value)).toBe(expected);
});

test('a file stands for what it exports, by name or by default, relative to the config', async () => {
  const root = tempFolder({
    'package.json': { type: 'module' },
    'parts/model.js': 'export default 1; export const second = 2;',
  });
  const config = join(root, 'configs', 'hookline.config.js');
  expect(await referenced('../parts/model.js', config)).toBe(1);
  expect(await referenced('../parts/model.js#second', config)).toBe(2);
  expect(await referenced('meanSquaredError', config)).toBe('meanSquaredError');
});

test.each([
  ['./gone.js', /gone\.js/],
  ['./model.js#third', /third/],
])('%s is refused with its name', async (reference, message) => {
  const root = tempFolder({ 'package.json': { type: 'module' }, 'model.js': 'export const second = 2;' });
  const error = await errorOf(() => referenced(reference, join(root, 'hookline.config.js')));
  expect(error.message).toMatch(message);
});

test('files of hooks are relative to the project, in a map and in a list', () => {
  const mine = { name: 'mine' };
  const config = '/project/configs/hookline.config.ts';
  expect(hooksFrom({ './a.ts#A': true, stopper: { patience: 3 } }, config, '/project')).toEqual({
    './configs/a.ts#A': true,
    stopper: { patience: 3 },
  });
  expect(hooksFrom(['../b.ts', ['./a.ts#A', { x: 1 }], 'stopper', mine], config, '/project')).toEqual([
    './b.ts',
    ['./configs/a.ts#A', { x: 1 }],
    'stopper',
    mine,
  ]);
  expect(hooksFrom(['../../outside.ts'], config, '/project')).toEqual(['../outside.ts']);
});

test('an object is plain by its prototype, whichever realm made it', () => {
  class Instance {}
  const plain = [{}, JSON.parse('{"a":1}'), Object.create(null)];
  const other = [[], new Instance(), new Date(), new Map(), () => {}, null, undefined, 'text', 3];
  expect(plain.map(isPlain)).toEqual(plain.map(() => true));
  expect(other.map(isPlain)).toEqual(other.map(() => false));
});
