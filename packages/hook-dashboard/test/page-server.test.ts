import { mkdirSync, writeFileSync } from 'node:fs';
import { folderPerTest } from '@hookline/test-support';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ask as askFor, eventsOf, listedRuns } from '../page/server.js';
import { type Act, type Dashboard, openDashboard } from '../src/index.js';
import { ask } from './open-socket.js';

const folder = folderPerTest();
let dashboard: Dashboard;
let acts: Act[];

beforeEach(async () => {
  acts = [];
  mkdirSync(folder.in('runs', 'a b'), { recursive: true });
  writeFileSync(folder.in('runs', 'a b', 'run.json'), '{"id":"a b","status":"running"}');
  const controls = {
    hooks: () => [],
    act: (act: Act) => act.verb !== 'checkpoint' && acts.push(act) > 0,
  };
  dashboard = await openDashboard(folder.in('runs'), { everyMs: 5, run: 'a b', controls });
});
afterEach(async () => {
  await dashboard.close();
  vi.unstubAllGlobals();
});

/** What the module of the page finds in a page with this address: its requests go to the real server. */
function inPage(address: string): void {
  const url = new URL(address);
  const { fetch } = globalThis;
  vi.stubGlobal('location', url);
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(new URL(path, url), init));
  vi.stubGlobal(
    'EventSource',
    class {
      constructor(readonly url: string) {}
    },
  );
}

test('a page with the token in its address lists the runs and is told which is its own', async () => {
  inPage(dashboard.url);
  expect(await listedRuns()).toEqual({
    runs: [{ id: 'a b', status: 'running' }],
    run: 'a b',
    folder: folder.in('runs'),
  });
});

test.each(['/', '/?token=', '/?token=wrong'])('a page at %s says which address to open', async (path) => {
  inPage(new URL(path, dashboard.url).href);
  const words =
    'The token is missing or wrong: open the address that was printed when the dashboard started.';
  await expect(listedRuns()).rejects.toThrow(words);
  expect(await askFor('a b', { verb: 'stop' }, 'Stop the run')).toBe(`Stop the run: ${words}`);
  expect(acts).toEqual([]);
});

test('what was asked for is answered in words, whether it is done or not', async () => {
  inPage(dashboard.url);
  expect(await askFor('a b', { verb: 'stop' }, 'Stop the run')).toBe('Stop the run: asked for');
  expect(await askFor('a b', { verb: 'checkpoint' }, 'Save')).toBe('Save: The run cannot do that.');
  expect(await askFor('another', { verb: 'stop' }, 'Stop')).toBe(
    'Stop: This run cannot be controlled from here.',
  );
  expect(acts).toEqual([{ verb: 'stop' }]);
});

test('a page whose server is gone says so, and does not break', async () => {
  inPage(dashboard.url);
  await dashboard.close();
  expect(await askFor('a b', { verb: 'stop' }, 'Stop')).toBe('The server of the page is gone.');
});

test('a page asks for the events of its runs by their names, whatever these hold', async () => {
  inPage(dashboard.url);
  const { url } = eventsOf(['a b', 'x&token=y', '../z']);
  const query = new URL(url, dashboard.url).searchParams;
  expect(query.getAll('run')).toEqual(['a b', 'x&token=y', '../z']);
  expect(query.getAll('token')).toEqual([new URL(dashboard.url).searchParams.get('token')]);
  expect((await ask(dashboard.url, `/${url}`, { until: '"id":"a b"' })).status).toBe(200);
});
