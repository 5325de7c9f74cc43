import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closingLines } from '../test.mjs';

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-closing-lines-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the closing line of npm test', () => {
  it('counts passed, skipped and failed tests, files that cannot be loaded or set up, and a test whose process died', async () => {
    const unloadable = 'import "./missing.js";';
    const unprepared = `beforeAll(() => { throw new Error("no"); });${passing}`;
    const dies = 'it("dies", () => { process.kill(process.pid, "SIGKILL"); return new Promise(() => {}); });';
    const files = {
      'a.test.js': `${passing}${failing}it.skip("later", () => {});`,
      'b.test.js': unloadable,
      'c.test.js': unprepared,
      'd.test.js': dies,
    };
    const lines = await closingLinesOf(files);
    expect(lines[0]).toBe('2 skipped'); // one of them because its file could not be set up
    expect(lines.at(-1)).toBe('1 passed, 4 failed');
  });

  it('counts an error outside of every test as a failure', async () => {
    const stray = 'it("ends first", () => { setTimeout(() => { throw new Error("stray"); }, 1); });';
    const waits = 'it("waits", () => new Promise((done) => setTimeout(done, 50)));';
    const lines = await closingLinesOf({ 'a.test.js': stray + waits });
    expect(lines.at(-1)).toBe('2 passed, 1 failed');
  });

  it('is one line when everything passed', () => {
    const counts = {
      numTotalTests: 3,
      numPassedTests: 3,
      numFailedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
    };
    expect(closingLines({ ...counts, testResults: [] }, true)).toEqual(['3 passed, 0 failed']);
  });

  it('never says that nothing failed when vitest left no report', () => {
    expect(closingLines(undefined, false).at(-1)).toBe('0 passed, 1 failed');
  });
});

const passing = 'it("passes", () => { expect(1).toBe(1); });';
const failing = 'it("fails", () => { expect(1).toBe(2); });';

async function closingLinesOf(files: Record<string, string>): Promise<string[]> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const report = join(folder, 'report.json');
  const args = [vitest, 'run', '--globals', '--root', folder, '--reporter=json', `--outputFile=${report}`];
  const succeeded = await new Promise<boolean>((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (error) => resolve(error === null));
  });
  return closingLines(JSON.parse(await readFile(report, 'utf8')), succeeded);
}
