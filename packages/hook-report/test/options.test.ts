import type { Hook } from '@hookline/hook-api';
import { samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test, vi } from 'vitest';
import { report } from '../src/index.js';

const folder = folderPerTest();

test.each([true, 'stderr', 7, null])('print: %j is refused, with what is expected', (print) => {
  expect(() => report({ print } as never)).toThrow(/print.*an object or false/);
});

test('without print the curve goes to standard error; with false it goes nowhere', async () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const { stderr } = process;
  const printed = async (hook: Hook) => {
    written.length = 0;
    const { trainer, complaints } = tinyRun([hook], { runsDir: folder.path });
    await trainer.fit({ train: samples(16), epochs: 3, batchSize: 8 });
    expect(complaints).toEqual([]);
    return written.join('');
  };
  expect(await printed(report({ print: false }))).toBe('');
  expect(await printed(report({ print: stderr }))).toMatch(/Report {2}.*report\.html\n/);
  expect(await printed(report())).toMatch(/Report {2}.*report\.html\n/);
  vi.restoreAllMocks();
});
