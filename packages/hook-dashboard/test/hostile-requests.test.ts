import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { folderPerTest } from '@hookline/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Act, type Dashboard, openDashboard } from '../src/index.js';
import { ask } from './open-socket.js';

const folder = folderPerTest();
let dashboard: Dashboard;
let acts: Act[];
let token: string;
beforeEach(async () => {
  acts = [];
  mkdirSync(folder.in('runs', 'a'), { recursive: true });
  writeFileSync(folder.in('runs', 'a', 'run.json'), '{"id":"a","status":"completed"}');
  writeFileSync(folder.in('secret.json'), 'the secret');
  const controls = { hooks: () => [], act: (act: Act) => acts.push(act) > 0 };
  dashboard = await openDashboard(folder.in('runs'), { everyMs: 5, controls });
  token = new URL(dashboard.url).searchParams.get('token')!;
});
afterEach(() => dashboard.close());

const act = (headers: Record<string, string>, body = '{"verb":"stop"}') =>
  ask(dashboard.url, '/act', { method: 'POST', headers, body });

test('who has the address sees the page and may act', async () => {
  expect((await ask(dashboard.url, `/?token=${token}`)).text).toContain('<title>Hookline</title>');
  for (const file of ['/app.js', '/cards.js', '/style.css', '/uplot.js', '/uplot.css']) {
    expect((await ask(dashboard.url, file)).status).toBe(200);
  }
  expect((await ask(dashboard.url, `/runs?token=${token}`)).text).toContain('"id":"a","status":"completed"');
  expect((await act({ 'x-hookline-token': token })).status).toBe(204);
  expect(acts).toEqual([{ verb: 'stop' }]);
});

test('without the token nothing is told and nothing is done', async () => {
  for (const path of [
    '/',
    '/runs',
    '/hooks',
    '/events?run=a',
    '/?token=',
    `/?token=${token}x`,
    '/runs?token=wrong',
  ]) {
    expect((await ask(dashboard.url, path)).status).toBe(401);
  }
  expect((await act({})).status).toBe(401);
  expect((await act({ 'x-hookline-token': 'wrong' })).status).toBe(401);
  // An address gets into histories: a token there is not enough to change something.
  const inAddress = await ask(dashboard.url, `/act?token=${token}`, {
    method: 'POST',
    body: '{"verb":"stop"}',
  });
  expect(inAddress.status).toBe(401);
  expect(acts).toEqual([]);
});

test('a page of another site is refused, even with the token', async () => {
  expect((await act({ 'x-hookline-token': token, origin: 'https://evil.example' })).status).toBe(403);
  expect((await act({ 'x-hookline-token': token, origin: 'null' })).status).toBe(403);
  const read = await ask(dashboard.url, `/runs?token=${token}`, {
    headers: { origin: 'http://localhost:1' },
  });
  expect(read.status).toBe(403);
  expect(acts).toEqual([]);
});

test('a name that was made to point here is refused', async () => {
  for (const host of ['evil.example', `evil.example:${new URL(dashboard.url).port}`, '127.0.0.1:1']) {
    const { status } = await ask(dashboard.url, `/runs?token=${token}`, { headers: { host } });
    expect(status).toBeGreaterThanOrEqual(400);
  }
});

test.each([
  '/../secret.json',
  '/..%2fsecret.json',
  '/%2e%2e/secret.json',
  '/a/../../secret.json',
  '//secret.json',
  '/page/../../package.json',
  '/constructor',
  '/__proto__',
])('no file is reached by the path %s', async (path) => {
  const { status, text } = await ask(dashboard.url, `${path}?token=${token}`);
  expect([status, text.includes('secret')]).toEqual([404, false]);
});

test('a run that is not in the folder is not shown, whatever its name', async () => {
  const asked = ['..', '../runs/a', '%2e%2e%2fsecret.json', 'a'].map((name) => `run=${name}`).join('&');
  const text = await firstEvents(`/events?token=${token}&${asked}`, 60);
  const shown = [...text.matchAll(/^event: run\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!).folder);
  expect(new Set(shown)).toEqual(new Set(['a']));
});

test('a body that is too large, or not an act, is refused', async () => {
  const headers = { 'x-hookline-token': token };
  expect((await act(headers, 'x'.repeat(5_000))).status).toBe(413);
  for (const body of [
    '',
    'null',
    '[]',
    '{"verb":"rm"}',
    '{"verb":"scale-lr","factor":1e9}',
    '{"verb":"switch"}',
  ]) {
    expect((await act(headers, body)).status).toBe(400);
  }
  expect((await ask(dashboard.url, '/runs', { method: 'DELETE', headers })).status).toBe(405);
  expect(acts).toEqual([]);
});

test('a thousand connections leave room for none beyond the limit, and the server answers afterwards', async () => {
  const { hostname, port } = new URL(dashboard.url);
  const sockets: Socket[] = [];
  let closed = 0;
  for (let at = 0; at < 1000; at++) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.on('close', () => closed++);
    sockets.push(socket);
  }
  while (closed < 900) await new Promise(setImmediate);
  for (const socket of sockets) socket.destroy();
  while (closed < 1000) await new Promise(setImmediate);
  // The server may still have some of them to close.
  const answered = () => ask(dashboard.url, `/runs?token=${token}`).then(({ status }) => status === 200);
  while (!(await answered().catch(() => false)));
});

test('more pages than the limit are refused, and closing one makes room', async () => {
  const { hostname, port } = new URL(dashboard.url);
  const open = () =>
    new Promise<[Socket, string]>((resolve) => {
      const socket = connect(Number(port), hostname);
      socket.write(`GET /events?token=${token} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
      socket.once('data', (data) => resolve([socket, String(data).slice(9, 12)]));
    });
  const pages = await Promise.all(Array.from({ length: 50 }, open));
  const [extra, status] = await open();
  expect(status).toBe('503');
  for (const [socket] of [...pages, [extra] as const]) socket.destroy();
});

/** What a page is sent until some moments after the first run. */
function firstEvents(path: string, milliseconds: number): Promise<string> {
  const { hostname, port } = new URL(dashboard.url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname);
    const end = () => {
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (data) => {
      const isFirst = !text.includes('event: run');
      text += String(data);
      if (isFirst && text.includes('event: run')) setTimeout(end, milliseconds);
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
  });
}
