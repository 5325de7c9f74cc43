import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import type { TrialResult } from '../src/results.js';
import { runFile, sweepProject } from '../test/sweep-project.js';

const folder = folderPerTest();

test('a sweep that was ended continues, and its results are those of one that was not', async () => {
  const halving = '{ minEpochs: 2, factor: 2 }';
  const sweep = `space: { 'optimizer.lr': logUniform(1e-4, 1e-1) }, trials: 2, search: 'random', halving: ${halving}`;
  const whole = await runFile(await sweepProject(folder.in('.'), `${sweep}, dir: 'whole'`), { workers: 1 });
  const file = await sweepProject(folder.in('.'), `${sweep}, dir: 'ended'`);
  const ending = new AbortController();
  const first = await runFile(file, { workers: 1, signal: ending.signal, onEnd: () => ending.abort() });
  expect(first.results).toHaveLength(1);
  const second = await runFile(file, { workers: 1 });
  const comparable = ({ seconds: _, ...result }: TrialResult) => result;
  expect(second.results.map(comparable)).toEqual(whole.results.map(comparable));
  expect(second.results[0]!.status).toBe('trained');
});
