import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { folderPerTest } from '@hookline/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { dashboard, openDashboard, type ServeOptions } from '../src/index.js';
import { ask } from './open-socket.js';

const folder = folderPerTest();

async function opened(options: ServeOptions = {}) {
  const page = await openDashboard(folder.path, options);
  onTestFinished(() => page.close());
  return { page, url: new URL(page.url), search: new URL(page.url).search };
}

/** A port that somebody else has. */
async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

test('without options it takes a free port of this machine, and every page has a token of its own', async () => {
  const [first, second] = [await opened(), await opened()];
  expect(first.url.hostname).toBe('127.0.0.1');
  expect(first.url.port).not.toBe(second.url.port);
  expect(first.search).toMatch(/^\?token=[\w-]{32}$/);
  expect(first.search).not.toBe(second.search);
  expect((await ask(first.page.url, `/runs${second.search}`)).status).toBe(401);
});

test('a port that was asked for is taken, and is free again after the end', async () => {
  const first = await opened();
  const port = Number(first.url.port);
  await first.page.close();
  for (let round = 0; round < 2; round++) {
    const page = await openDashboard(folder.path, { port });
    expect(new URL(page.url).port).toBe(String(port));
    await page.close();
  }
});

test('a port that is taken is an error that names it', async () => {
  const port = await takenPort();
  await expect(openDashboard(folder.path, { port })).rejects.toThrow(
    `EADDRINUSE: address already in use 127.0.0.1:${port}`,
  );
});

test.each([
  ['127.0.0.1', '127.0.0.1', true],
  ['localhost', 'localhost', true],
  ['0.0.0.0', '0.0.0.0', true],
])('host %s: the address names it, and programs here can reach it', async (host, name, isLocal) => {
  const { page, url, search } = await opened({ host });
  expect(url.hostname).toBe(name);
  expect(page.address).toEqual(isLocal ? { port: Number(url.port), token: search.slice(7) } : undefined);
  for (const own of [`${name}:${url.port}`, `localhost:${url.port}`, `127.0.0.1:${url.port}`]) {
    const { status } = await ask(page.url, `/runs${search}`, { headers: { host: own } });
    expect([own, status]).toEqual([own, 200]);
  }
  const other = await ask(page.url, `/runs${search}`, { headers: { host: `10.0.0.1:${url.port}` } });
  expect([other.status, other.text]).toEqual([421, 'This server is not known by that name.']);
});

test('an address that this machine does not have is an error', async () => {
  await expect(openDashboard(folder.path, { host: '203.0.113.1' })).rejects.toThrow('EADDRNOTAVAIL');
});

test('a folder that is not there yet has no runs, and shows them when they come', async () => {
  const later = folder.in('later');
  const page = await openDashboard(later);
  onTestFinished(() => page.close());
  const { search } = new URL(page.url);
  expect(JSON.parse((await ask(page.url, `/runs${search}`)).text)).toEqual({ runs: [], folder: later });
  mkdirSync(folder.in('later', 'a'), { recursive: true });
  writeFileSync(folder.in('later', 'a', 'run.json'), '{"id":"a","status":"completed"}');
  const { text } = await ask(page.url, `/events${search}&run=a`, { until: 'event: run' });
  expect(text).toContain('"id":"a"');
});

test('the folder of one run is shown as that run', async () => {
  mkdirSync(folder.in('a'));
  writeFileSync(folder.in('a', 'run.json'), '{"id":"a","status":"completed"}');
  const page = await openDashboard(folder.in('a'));
  onTestFinished(() => page.close());
  const { runs } = JSON.parse((await ask(page.url, `/runs${new URL(page.url).search}`)).text);
  expect(runs).toEqual([{ id: 'a', status: 'completed' }]);
});

test('it can be closed twice, and closing does not wait for connections that ask for nothing', async () => {
  const page = await openDashboard(folder.path);
  await ask(page.url, `/runs${new URL(page.url).search}`, { headers: { connection: 'keep-alive' } });
  await page.close();
  await page.close();
  await expect(ask(page.url, '/')).rejects.toThrow('ECONNREFUSED');
});

test('without a run of its own there are no hooks, and nothing can be asked for', async () => {
  const { page, search } = await opened();
  expect((await ask(page.url, `/hooks${search}`)).text).toBe('[]');
  const headers = { 'x-hookline-token': search.slice(7) };
  const { status } = await ask(page.url, '/act', { method: 'POST', headers, body: '{"verb":"stop"}' });
  expect(status).toBe(409);
});

test('a fault while answering costs that answer, not the server', async () => {
  const hooks = () => Promise.reject(new Error('the secret path'));
  const { page, search } = await opened({ run: 'a', controls: { hooks, act: () => true } });
  const { status, text } = await ask(page.url, `/hooks${search}`);
  expect([status, text]).toEqual([500, 'Something went wrong.']);
  expect((await ask(page.url, `/runs${search}`)).status).toBe(200);
});

test.each([
  ['port', -1, 'a whole number'],
  ['port', 65_536, 'a whole number'],
  ['port', 80.5, 'a whole number'],
  ['port', '80', 'a whole number'],
  ['host', 7, 'a string'],
])('%s: %j is refused before the run begins', (name, value, expected) => {
  expect(() => dashboard({ [name]: value } as never)).toThrow(expected);
});
