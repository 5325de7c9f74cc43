import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { plugin, tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { entry, hook, noise, registry, thrownBy, Watcher } from './installed.js';

const tap = (kinds?: string[], code?: string) =>
  plugin('trainer-hook-tap', 'tap', {
    code: code ?? `export default () => ({ name: 'tap', onForward() {}, onEpochEnd() {} });`,
    trainerHooks: { schema: 1, hooks: { tap: { entry: './index.js', ...(kinds && { kinds }) } } },
  });
const names = (entries: { name: string }[]) => entries.map(({ name }) => name);

test('the kinds in a manifest are known before the run, and no plugin code runs for them', () => {
  const marker = join(tempFolder(), 'ran');
  const code = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(marker)}, '');`;
  const made = registry({}, { 'trainer-hook-tap': tap(['forward', 'lifecycle'], code) });
  expect(entry(made, 'tap')).toMatchObject({ kinds: ['forward', 'lifecycle'], status: 'found' });
  expect(names(made.byKind('forward'))).toEqual(['tap']);
  expect(names(made.byKind('update'))).toEqual([]);
  expect(existsSync(marker)).toBe(false);
});

test('a hook whose manifest names no kinds is found once it is loaded', async () => {
  const made = registry({}, { 'trainer-hook-tap': tap() });
  expect(made.byKind('forward')).toEqual([]);
  await made.load();
  expect(made.byKind('forward')).toMatchObject([{ name: 'tap', status: 'loaded' }]);
});

test('once it is loaded, what the hook does counts, not what its manifest says', async () => {
  const made = registry({}, { 'trainer-hook-tap': tap(['update']) });
  expect(names(made.byKind('update'))).toEqual(['tap']);
  await made.load();
  expect(made.byKind('update')).toEqual([]);
  expect(entry(made, 'tap')?.kinds).toEqual(['forward', 'lifecycle']);
});

test('hook objects are known at once, classes and factories once they are made', async () => {
  const made = registry({ hooks: [hook('mine'), Watcher, noise], discover: false });
  expect(names(made.byKind('lifecycle'))).toEqual(['mine']);
  expect(names(made.byKind('forward'))).toEqual([]);
  await made.load();
  expect(names(made.byKind('forward'))).toEqual(['watcher']);
  expect(names(made.byKind('update'))).toEqual(['noise']);
});

test('every instance has the kinds of its hook, and hooks that are off are listed too', () => {
  const packages = { 'trainer-hook-tap': tap(['forward']) };
  const made = registry({ hooks: ['tap', ['tap', { name: 'second-tap' }]] }, packages);
  made.disable('tap');
  expect(made.byKind('forward').map(({ name, enabled }) => [name, enabled])).toEqual([
    ['tap', false],
    ['second-tap', true],
  ]);
});

test('kinds that do not exist reject the package, and the error names the nearest', () => {
  const packages = { 'trainer-hook-tap': tap(['foward']) };
  expect(thrownBy(() => registry({ hooks: ['trainer-hook-tap'] }, packages))).toMatchObject({
    code: 'PLUGIN_REJECTED',
    message: expect.stringContaining('Did you mean "forward"?'),
  });
});

test.each<[unknown, string]>([
  [['foward'], 'got "foward". Did you mean "forward"?'],
  [['forward', null], 'got null.'],
  ['forward', 'got "forward".'],
])(
  'a hook that says it is of a kind that does not exist is refused, with those that do: %j',
  async (kinds, why) => {
    const tapped = { ...hook('tapped'), kinds } as Hook;
    const expected = `Hook "tapped": expected kinds to be a list of "lifecycle", "forward", "update", ${why}`;
    const passed = thrownBy(() => registry({ hooks: [tapped], discover: false }));
    expect(passed).toMatchObject({ code: 'NOT_A_HOOK', message: expect.stringContaining(expected) });
    const made = registry({ hooks: [() => tapped], discover: false });
    await expect(made.load()).rejects.toThrow(expected);
  },
);
