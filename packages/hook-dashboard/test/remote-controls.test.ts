import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { folderPerTest } from '@hookline/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { announce, remoteControls } from '../src/server/remote-controls.js';

const folder = folderPerTest();
const TOKEN = 'a'.repeat(32);

/** The folder of a run, and the server of its process. */
async function served(answer: (request: IncomingMessage, body: string) => { status: number; text?: string }) {
  const seen: { method: string; url: string; token: unknown; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({
      method: request.method!,
      url: request.url!,
      token: request.headers['x-hookline-token'],
      body,
    });
    const { status, text = '' } = answer(request, body);
    response.writeHead(status).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  runIn({ status: 'running' });
  const { port } = server.address() as AddressInfo;
  return { seen, port, withdraw: await announce(folder.in('a'), { port, token: TOKEN }) };
}

function runIn(record: object): void {
  mkdirSync(folder.in('a'), { recursive: true });
  writeFileSync(folder.in('a', 'run.json'), JSON.stringify({ id: 'a', ...record }));
}

test('an act is handed to the process of the run with the token in the header, and its answer counts', async () => {
  const { seen } = await served((_request, body) => ({ status: body.includes('stop') ? 204 : 409 }));
  const controls = (await remoteControls(folder.in('a')))!;
  expect(await controls.act({ verb: 'stop' })).toBe(true);
  expect(await controls.act({ verb: 'validate' })).toBe(false);
  expect(seen[0]).toEqual({ method: 'POST', url: '/act', token: TOKEN, body: '{"verb":"stop"}' });
});

test('its hooks are those that its process tells', async () => {
  const hooks = [{ name: 'x', isOn: true, calls: 1, milliseconds: 1 }];
  await served(() => ({ status: 200, text: JSON.stringify(hooks) }));
  expect(await (await remoteControls(folder.in('a')))!.hooks()).toEqual(hooks);
});

test('a process that refuses, is gone or says too much cannot be acted on', async () => {
  const { port } = await served(() => ({ status: 401 }));
  expect(await (await remoteControls(folder.in('a')))!.hooks()).toEqual([]);
  await announce(folder.in('a'), { port: port === 1 ? 2 : 1, token: TOKEN });
  expect(await (await remoteControls(folder.in('a')))!.act({ verb: 'stop' })).toBe(false);
  await served(() => ({ status: 204, text: '' }));
  await served(() => ({ status: 200, text: 'x'.repeat(2 ** 21) }));
  expect(await (await remoteControls(folder.in('a')))!.hooks()).toEqual([]);
});

test('the address is gone when it is taken back', async () => {
  const { withdraw } = await served(() => ({ status: 204 }));
  await withdraw();
  expect(existsSync(folder.in('a', 'dashboard.json'))).toBe(false);
  expect(await remoteControls(folder.in('a'))).toBeUndefined();
});

test.each(['completed', 'stopped', 'error', 'nonsense'])('a run that is %s is not asked', async (status) => {
  await served(() => ({ status: 204 }));
  runIn({ status });
  expect(await remoteControls(folder.in('a'))).toBeUndefined();
});

test.each([
  ['is not JSON', 'nonsense'],
  ['has no port', JSON.stringify({ token: TOKEN })],
  ['has a port that does not exist', JSON.stringify({ port: 70_000, token: TOKEN })],
  ['has a port that is text', JSON.stringify({ port: '80', token: TOKEN })],
  ['has a token that would break a header', JSON.stringify({ port: 80, token: `${TOKEN}\r\nx: y` })],
  ['has a short token', JSON.stringify({ port: 80, token: 'abc' })],
  ['is long', JSON.stringify({ port: 80, token: TOKEN, more: 'x'.repeat(2_000) })],
])('an address that %s is not used', async (_what, content) => {
  runIn({ status: 'running' });
  writeFileSync(folder.in('a', 'dashboard.json'), content, { mode: 0o600 });
  expect(await remoteControls(folder.in('a'))).toBeUndefined();
});

test('an address that others may read or write is not used', async () => {
  await served(() => ({ status: 204 }));
  for (const mode of [0o644, 0o620, 0o602]) {
    chmodSync(folder.in('a', 'dashboard.json'), mode);
    expect(await remoteControls(folder.in('a'))).toBeUndefined();
  }
});
