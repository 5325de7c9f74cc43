import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonLog } from '@hookline/hook-logging';
import { samples, tinyRun } from '@hookline/test-runs';
import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { command } from '../src/command.js';

const folder = folderPerTest();

async function trained(lr: number): Promise<string> {
  const { trainer } = tinyRun([jsonLog({ every: 2 })], {
    runsDir: folder.path,
    optimizer: { name: 'sgd', lr },
  });
  const data = samples(16);
  return (await trainer.fit({ train: data, validation: data, epochs: 3, batchSize: 8 })).runDir;
}

async function hooklineReport(...args: string[]): Promise<string> {
  let out = '';
  expect(await command.run(args, (text) => (out += text))).toBe(0);
  return out;
}

test('hookline report makes the page of an old run', async () => {
  const run = await trained(0.01);
  const out = await hooklineReport(run);
  expect(out).toContain('val/loss');
  expect(out).toContain('report.html');
  expect(readFileSync(join(run, 'report.html'), 'utf8')).toContain('val/loss');
});

test('several runs are drawn into the same charts, with what differs between them', async () => {
  const [first, second] = [await trained(0.01), await trained(0.05)];
  const file = folder.in('both.html');
  await hooklineReport(first, second, '--out', file);
  const html = readFileSync(file, 'utf8');
  const [, chart] = /<figcaption>Loss[\s\S]*?<ul class="legend">([\s\S]*?)<\/ul>/.exec(html)!;
  expect(chart!.match(/val\/loss/g)).toHaveLength(2);
  expect(html).toMatch(/optimizer\.lr<\/th><td>0\.01<\/td><td>0\.05</);
});

test('a folder that is not a run, and no folder, are refused with what to do', async () => {
  expect(await errorOf(() => command.run([folder.path], () => {}))).toMatchObject({ code: 'NOT_A_RUN' });
  expect(await errorOf(() => command.run([], () => {}))).toMatchObject({ code: 'CLI_USAGE' });
  expect(await errorOf(() => command.run(['--nonsense'], () => {}))).toMatchObject({ code: 'CLI_USAGE' });
});

test('a page stays small, whatever was logged, and keeps the spikes', async () => {
  const run = folder.in('long');
  mkdirSync(run);
  const lines = Array.from({ length: 4_000 }, (_, step) =>
    JSON.stringify({
      event: 'log',
      step,
      epoch: 0,
      metrics: Object.fromEntries(
        Array.from({ length: 12 }, (_, at) => [`m${at}/x`, step === 2_345 ? 987_654 : Math.sin(step)]),
      ),
    }),
  );
  writeFileSync(join(run, 'log.jsonl'), `${lines.join('\n')}\n`);
  await hooklineReport(run);
  const file = join(run, 'report.html');
  expect(statSync(file).size).toBeLessThan(1_000_000);
  expect(readFileSync(file, 'utf8').match(/987654/g)!.length).toBeGreaterThanOrEqual(12);
});

test('the verdict of the profiler and the place of a resume are on the page', async () => {
  const run = await trained(0.01);
  const profile = {
    verdict: '62 % of a step is <b>waiting</b> for data.',
    phases: [{ name: 'data', seconds: 6.2, share: 0.62 }],
  };
  writeFileSync(join(run, 'profile.json'), JSON.stringify(profile));
  const log = join(run, 'log.jsonl');
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  const start = JSON.stringify({ event: 'start', epoch: 1, step: 3, epochs: 3 });
  writeFileSync(log, `${[...lines.slice(0, 3), start, ...lines.slice(3)].join('\n')}\n`);
  await hooklineReport(run);
  const html = readFileSync(join(run, 'report.html'), 'utf8');
  expect(html).toContain('62 % of a step is &lt;b&gt;waiting&lt;/b&gt; for data.');
  expect(html).toContain('6.20 s</td><td>62.0 %');
  expect(html).toContain('resumed at step 3</text>');
});
