import type { Hook } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import type { HookRegistry } from '../../src/index.js';
import { hook, registry } from './installed.js';

/** Writes down what the registry tells. */
function diaryOf(made: HookRegistry): string[] {
  const diary: string[] = [];
  made.follow({
    added: ({ hook, enabled, slot }) =>
      void diary.push(`added ${hook.name} ${enabled ? 'on' : 'off'} at ${slot}`),
    switched: (hook, on) => void diary.push(`${hook.name} ${on ? 'on' : 'off'}`),
    removed: (hook) => void diary.push(`removed ${hook.name}`),
  });
  return diary;
}

test('a follower is called for hook objects that are added, switched and removed', () => {
  const made = registry({ discover: false });
  const diary = diaryOf(made);
  const remove = made.add(hook('mine'));
  made.add([hook('quiet'), false]);
  made.use('late', hook('late'));
  made.disable('mine');
  made.enable('mine');
  remove();
  remove();
  made.remove('quiet');
  expect(diary).toEqual([
    'added mine on at mine',
    'added quiet off at quiet',
    'added late on at late',
    'mine off',
    'mine on',
    'removed mine',
    'removed quiet',
  ]);
});

test('a follower hears nothing of hooks that are not made yet', async () => {
  const made = registry();
  const diary = diaryOf(made);
  made.disable('a');
  made.enable('a');
  made.add(() => hook('made'));
  made.add(['b', { name: 'bee' }]);
  made.remove('json-log');
  await made.load();
  expect(diary).toEqual([]);
  made.disable('a');
  made.disable('@hookline/hook-early-stopping');
  made.remove('bee');
  expect(diary).toEqual(['a off', 'early-stopping off', 'removed bee']);
});

test('a follower hears that a hook is switched on even if it was on: it may have failed meanwhile', () => {
  const made = registry({ hooks: [hook('mine')], discover: false });
  const diary = diaryOf(made);
  made.enable('mine');
  expect(diary).toEqual(['mine on']);
});

test('an installed hook that is replaced is removed before its replacement is added', async () => {
  const made = registry();
  await made.load();
  const diary = diaryOf(made);
  const own = hook('a');
  const gone: Hook[] = [];
  made.add(own);
  expect(diary).toEqual(['removed a', 'added a on at a']);
  made.follow({ added() {}, switched() {}, removed: (hook) => void gone.push(hook) });
  made.remove('a');
  expect(gone).toEqual([own]);
});

test('one that is replaced by what a factory makes is removed while loading', async () => {
  const made = registry();
  await made.load();
  const diary = diaryOf(made);
  made.add(() => hook('a'));
  expect(diary).toEqual([]);
  await made.load();
  expect(diary).toEqual(['removed a']);
});

test('a follower hears nothing of a change that fails', async () => {
  const made = registry({ hooks: [hook('mine')] });
  await made.load();
  const diary = diaryOf(made);
  for (const change of [
    () => made.add(hook('mine')),
    () => made.use('a', { x: 1 }),
    () => made.use('mine', 3 as never),
    () => made.remove('nobody'),
    () => made.add(['a', { name: 'mine' }]),
  ]) {
    expect(change).toThrow();
  }
  expect(diary).toEqual([]);
});

test('isOn says whether a hook that is made is switched on', async () => {
  const [mine, other] = [hook('mine'), hook('mine')];
  const made = registry({ hooks: [mine], discover: false });
  expect([made.isOn(mine), made.isOn(other)]).toEqual([true, false]);
  made.disable('mine');
  expect(made.isOn(mine)).toBe(false);
  made.remove('mine');
  expect(made.isOn(mine)).toBe(false);
});
