import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { jsonLog } from '@hookline/hook-logging';
import { samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { dashboard, openDashboard } from '../src/index.js';
import { ask } from './open-socket.js';

const folder = folderPerTest();

/** A run with or without a page, and a page over its folder as `hookline dashboard` opens it. */
async function watched(hooks: Hook[], visit: (page: string, dir: string) => Promise<void>) {
  const page = await openDashboard(folder.path, { everyMs: 5 });
  const visitor: Hook = {
    name: 'visitor',
    timeout: Infinity,
    async onEpochEnd(ctx) {
      if (ctx.state.epoch === 0) await visit(page.url, ctx.run.dir!);
    },
  };
  try {
    const { trainer } = tinyRun([visitor, ...hooks, jsonLog({ every: 1 })], { runsDir: folder.path });
    return await trainer.fit({ train: samples(16), epochs: 3, batchSize: 8 });
  } finally {
    await page.close();
  }
}

const act = (page: string, content: object) =>
  ask(page, '/act', {
    method: 'POST',
    headers: { 'x-hookline-token': new URL(page).searchParams.get('token')! },
    body: JSON.stringify(content),
  });

test('a run with a page is stopped from the page over its folder, and its log says so', async () => {
  const { status, stopReason, runDir } = await watched([dashboard()], async (page, dir) => {
    expect((await act(page, { verb: 'stop', run: basename(dir) })).status).toBe(204);
  });
  expect([status, stopReason]).toEqual(['stopped', 'stopped from the dashboard']);
  expect(readFileSync(join(runDir, 'log.jsonl'), 'utf8')).toContain('From the page: stop the run.');
  expect(existsSync(join(runDir, 'dashboard.json'))).toBe(false);
});

test('the token of a run is for the user alone while it runs', async () => {
  await watched([dashboard()], async (_page, dir) => {
    expect(statSync(join(dir, 'dashboard.json')).mode & 0o777).toBe(0o600);
  });
});

test('a run without a page is only shown', async () => {
  const { status } = await watched([], async (page, dir) => {
    expect((await act(page, { verb: 'stop', run: basename(dir) })).status).toBe(409);
  });
  expect(status).toBe('completed');
});

test('an address that others could have written is not asked, nor is that of a run that is over', async () => {
  const { runDir, status } = await watched([dashboard()], async (page, dir) => {
    chmodSync(join(dir, 'dashboard.json'), 0o644);
    expect((await act(page, { verb: 'stop', run: basename(dir) })).status).toBe(409);
    for (const run of ['..', '../secret', '', dir])
      expect((await act(page, { verb: 'stop', run })).status).toBe(409);
  });
  expect(status).toBe('completed');
  writeFileSync(join(runDir, 'dashboard.json'), '{"port":1,"token":"aaaaaaaaaaaaaaaaaaaaaaaa"}', {
    mode: 0o600,
  });
  const page = await openDashboard(folder.path, {});
  expect((await act(page.url, { verb: 'stop', run: basename(runDir) })).status).toBe(409);
  await page.close();
});
