import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorOf, folderPerTest, write } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { findRun, runsFolder } from '../../src/cli/find-run.js';
import { writtenRun } from './written-run.js';

const folder = folderPerTest();
const found = async (name?: string) => (await findRun(name, folder.path)).record.id;

test('a run is found by its folder, its id and the beginning of its id', async () => {
  for (const id of ['20260101-a', '20260202-b']) writtenRun(folder.path, id);
  expect(await found(folder.in('20260202-b'))).toBe('20260202-b');
  expect(await found('20260202-b')).toBe('20260202-b');
  expect(await found('202602')).toBe('20260202-b');
  const { folder: path } = await findRun('20260101-a', folder.path);
  expect(path).toBe(folder.in('20260101-a'));
});

test('the folder of a run is found wherever it is', async () => {
  writtenRun(folder.in('elsewhere'), 'a');
  const { record } = await findRun(folder.in('elsewhere', 'a'), folder.in('runs'));
  expect(record.id).toBe('a');
});

test('without a name it is the run that began last, whatever the ids say', async () => {
  writtenRun(folder.path, 'a', { startedAt: '2026-01-01T00:00:02.000Z' });
  writtenRun(folder.path, 'b', { startedAt: '2026-01-01T00:00:03.000Z' });
  writtenRun(folder.path, 'c', { startedAt: '2026-01-01T00:00:01.000Z' });
  expect(await found()).toBe('b');
});

test.each([
  ['torn', '{"id":"z","startedAt":"2027'],
  ['null', 'null'],
  ['a list', '[1]'],
  ['without a date', '{"id":"z"}'],
  ['of a date that is none', '{"id":"z","startedAt":7}'],
])('a record that is %s does not hide the latest run', async (_what, text) => {
  writtenRun(folder.path, 'a');
  write(folder.path, { 'z/run.json': text });
  expect(await found()).toBe('a');
});

test.each([
  ['no run', undefined, /^There is no run in .*\. "hookline train" makes one\.$/],
  ['none of that name', '20260102', /^There is no run "20260102" in .*"hookline runs" lists them\.$/],
  ['a folder that is no run', '.', /^There is no run "\." in /],
])('%s is RUN_MISSING, with what to do', async (_what, name, message) => {
  const error = await errorOf(() => findRun(name, folder.path));
  expect(error).toMatchObject({ code: 'RUN_MISSING', message: expect.stringMatching(message) });
});

test('a name that is nearly right is answered with the right one', async () => {
  writtenRun(folder.path, '20260101-abcdef');
  expect(await errorOf(() => findRun('20260101-abcdeg', folder.path))).toMatchObject({
    message: expect.stringContaining('Did you mean "20260101-abcdef"?'),
  });
});

test('a beginning that several have names them all', async () => {
  for (const id of ['20260101-a', '20260101-b', '20260202-c']) writtenRun(folder.path, id);
  const { message } = await errorOf(() => findRun('2026010', folder.path));
  expect(message).toMatch(/Several runs in .* begin with "2026010": 20260101-a, 20260101-b\.$/);
});

test('a run that is named and cannot be read says so', async () => {
  write(folder.path, { 'a/run.json': '{' });
  expect(await errorOf(() => findRun('a', folder.path))).toMatchObject({
    code: 'RUN_MISSING',
    message: `${folder.in('a')} has no run.json that can be read.`,
  });
});

test('a record of another program has what commands read of it', async () => {
  write(folder.path, { 'a/run.json': { id: 'a' } });
  const { record } = await findRun('a', folder.path);
  expect([record.git.commit, record.backend.name]).toEqual([undefined, undefined]);
});

test('runs are where --runs says, or in the project', () => {
  expect(runsFolder(folder.path)).toBe(folder.path);
  mkdirSync(folder.in('src'));
  expect(runsFolder('relative')).toBe(join(process.cwd(), 'relative'));
  expect(runsFolder(undefined)).toMatch(/[\\/]runs$/);
});
