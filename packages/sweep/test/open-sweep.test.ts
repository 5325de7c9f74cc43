import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runIsolated } from '@hookline/test-programs';
import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { openSweep } from '../src/open-sweep.js';
import { sweepProject } from './sweep-project.js';

const folder = folderPerTest();
const opened = async (sweep: string) => openSweep(await sweepProject(folder.in('.'), sweep));
const refused = (sweep: string) => errorOf(() => opened(sweep));

test('without a file, or with one that is not there, it says what to write', async () => {
  expect((await errorOf(() => openSweep(undefined, folder.in('.')))).message).toContain(
    'There is no sweep.config.ts in ',
  );
  expect((await errorOf(() => openSweep('mine.ts', folder.in('.')))).message).toContain('mine.ts');
});

test('a file that throws or exports nothing is named with the reason', async () => {
  writeFileSync(folder.in('throws.mjs'), `throw new Error('no such data');`);
  writeFileSync(folder.in('empty.mjs'), 'export const sweep = 1;');
  const thrown = await errorOf(() => openSweep('throws.mjs', folder.in('.')));
  expect(thrown.code).toBe('SWEEP_CONFIG');
  expect(thrown.message).toContain('throws.mjs: importing it failed: no such data');
  expect((await errorOf(() => openSweep('empty.mjs', folder.in('.')))).message).toContain(
    'has no default export',
  );
});

test('a setting that the training does not have is refused before anything is trained', async () => {
  const error = await refused(`space: { 'optimizer.learningrate': choice(1) }`);
  expect(error.message).toContain('optimizer.learningrate');
});

test.each([
  [`space: { 'fit.epochs': choice(1, 2) }`, '"fit.epochs" cannot be searched'],
  [`space: { 'optimizer.lr': choice(1) }, trails: 3`, 'Did you mean "trials"?'],
  [`space: { 'optimizer.lr': choice(1) }, trials: 0`, '"trials" must be a whole number of at least 1'],
  [`space: { 'optimizer.lr': choice(1) }, halving: { factor: 1 }`, '"factor" must be a number of at least 2'],
  [`space: { 'optimizer.lr': choice(1) }, monitor: 'val/accuracy'`, 'where higher is usually better'],
  ['trials: 3', 'The search space is empty'],
])('a wrong config is refused: %s', async (sweep, message) => {
  expect((await refused(sweep)).message).toContain(message);
});

test('the folder of another sweep is refused; more trials of the same one are welcome', async () => {
  const space = `space: { 'optimizer.lr': logUniform(1e-4, 1e-2) }`;
  await opened(`${space}, trials: 3`);
  expect((await opened(`${space}, trials: 5`)).sweep.trials).toBe(5);
  const error = await refused(`${space}, trials: 3, seed: 2`);
  expect(error.code).toBe('SWEEP_CHANGED');
  expect(error.message).toContain('seed differ');
});

test('its settings are kept beside the trials, whole or not at all', async () => {
  const { journal, sweep } = await opened(`space: { 'optimizer.lr': choice(1) }, trials: 1`);
  expect(readdirSync(journal.folder)).toEqual(['sweep.json']);
  expect(JSON.parse(readFileSync(folder.in('sweep/sweep.json'), 'utf8'))).toEqual(sweep);
});

test('settings that somebody has damaged are named, with what to do', async () => {
  const space = `space: { 'optimizer.lr': choice(1) }, trials: 1`;
  await opened(space);
  writeFileSync(folder.in('sweep/sweep.json'), '{ "space": ');
  const error = await refused(space);
  expect(error.code).toBe('SWEEP_CHANGED');
  expect(error.message).toContain('sweep.json is not JSON');
  expect(error.message).toContain('"dir"');
});

test('every difference to the sweep of a folder is named', async () => {
  await opened(`space: { 'optimizer.lr': choice(1, 2) }, search: 'grid'`);
  const error = await refused(`space: { 'optimizer.lr': choice(1, 3) }, search: 'random', trials: 2`);
  expect(error.message).toContain('space, search differ.');
});

test.skipIf(process.platform !== 'linux')(
  'a folder that nobody can make is named, with what to do',
  async () => {
    const file = await sweepProject(
      folder.in('.'),
      `space: { 'optimizer.lr': choice(1) }, dir: '/proc/hookline/sweep'`,
    );
    const { value } = await runIsolated<[string, string]>(
      fileURLToPath(new URL('..', import.meta.url)),
      `import { openSweep } from './src/open-sweep.ts';
       await openSweep(args[0]).catch(({ code, message }) => report([code, message]));`,
      file,
    );
    expect(value).toEqual([
      'SWEEP_FOLDER',
      expect.stringMatching(/\/proc\/hookline\/sweep: ENOENT.*another folder with "dir"/),
    ]);
  },
);
