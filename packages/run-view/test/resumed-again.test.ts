import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { follow, readRun } from '../src/index.js';
import { runFolder } from './run-folder.js';

const loss = (step: number, value: number) => ({ event: 'log', step, epoch: 0, metrics: { loss: value } });
const start = (step: number) => ({ event: 'start', step, epoch: 0, epochs: 3 });

test('a run that went back twice within its log has each step once, from the last time', async () => {
  const lines = [start(0), loss(1, 1), loss(2, 1), loss(3, 1), start(2), loss(3, 2), loss(4, 2), start(1)];
  const folder = runFolder({ 'run.json': { status: 'running' }, 'log.jsonl': [...lines, loss(2, 3)] });
  const { series, resumes } = await readRun(folder);
  const { steps, values } = series.get('loss')!.points();
  expect([[...steps], [...values]]).toEqual([
    [1, 2],
    [1, 3],
  ]);
  expect(resumes.map(({ step }) => step)).toEqual([2, 1]);
});

test('whoever follows a run sees the same as whoever reads it, wherever it went back', async () => {
  const folder = runFolder({ 'run.json': { id: 'a', status: 'running' }, 'log.jsonl': [start(0)] });
  const log = join(folder, 'log.jsonl');
  const pieces = [[loss(1, 1), loss(2, 1)], [start(1)], [loss(2, 9)], [{ event: 'end', status: 'stopped' }]];
  let looks = 0;
  for await (const view of follow(folder, { everyMs: 1 })) {
    const once = await readRun(folder);
    expect([...view.series].map(([name, each]) => [name, [...each.points().values]])).toEqual(
      [...once.series].map(([name, each]) => [name, [...each.points().values]]),
    );
    expect([view.status, view.metrics, view.resumes]).toEqual([once.status, once.metrics, once.resumes]);
    const piece = pieces[looks++];
    if (piece) appendFileSync(log, piece.map((line) => `${JSON.stringify(line)}\n`).join(''));
    else writeFileSync(join(folder, 'run.json'), '{"id":"a","status":"stopped","finishedAt":"now"}');
  }
  expect(looks).toBeGreaterThan(pieces.length);
});

test('a run that is taken up after its end runs again', async () => {
  const lines = [start(0), loss(1, 1), { event: 'end', status: 'stopped', stopReason: 'enough' }, start(1)];
  const view = await readRun(runFolder({ 'run.json': { status: 'running' }, 'log.jsonl': lines }));
  expect([view.status, view.stopReason, view.plannedEpochs]).toEqual(['running', undefined, 3]);
});
