import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { writeReport } from '../src/index.js';

const folder = folderPerTest();
const [STEPS, NAMES] = [50_000, 20];
/** Each metric is at its highest and its lowest in one step only. */
const highAt = (name: number) => 1_000 + 2_111 * name;
const lowAt = (name: number) => highAt(name) + 777;

test('a million logged points make a page of less than 5 MB that keeps the extremes of every curve', async () => {
  const run = folder.in('long');
  mkdirSync(run);
  writeLog(folder.in('long', 'log.jsonl'));
  const { path, runs } = await writeReport([run]);
  const points = [...runs[0]!.series.values()].reduce((sum, { length }) => sum + length, 0);
  expect(points).toBe(1_000_000);
  const html = readFileSync(path, 'utf8');
  expect(Buffer.byteLength(html)).toBeLessThan(5_000_000);
  const charts = [...html.matchAll(/<script type="application\/json">(.*?)<\/script>/g)].map(
    ([, json]) => JSON.parse(json!) as { lines: { label: string; steps: number[]; values: number[] }[] },
  );
  const lines = charts.flatMap(({ lines }) => lines);
  expect(lines).toHaveLength(NAMES);
  for (const { label, steps, values } of lines) {
    const name = Number(label.slice('m/'.length));
    expect(values[steps.indexOf(highAt(name))]).toBe(1_000 + name);
    expect(values[steps.indexOf(lowAt(name))]).toBe(-1_000 - name);
    expect([steps[0], steps.at(-1)]).toEqual([1, STEPS]);
  }
});

function writeLog(file: string): void {
  const log = openSync(file, 'w');
  for (let step = 1; step <= STEPS; step++) {
    const metrics = Object.fromEntries(
      Array.from({ length: NAMES }, (_, name) => [`m/${name}`, valueAt(step, name)]),
    );
    writeSync(log, `${JSON.stringify({ event: 'log', epoch: 0, step, metrics })}\n`);
  }
  closeSync(log);
}

function valueAt(step: number, name: number): number {
  if (step === highAt(name)) return 1_000 + name;
  return step === lowAt(name) ? -1_000 - name : Math.sin(step / (name + 1));
}
