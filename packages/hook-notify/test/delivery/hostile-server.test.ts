import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { samples, tinyRun } from '@hookline/test-runs';
import { afterEach, expect, test } from 'vitest';
import { notify } from '../../src/index.js';

let server: Server | undefined;
const used = new Set<Socket>();
afterEach(() => {
  used.clear();
  server?.closeAllConnections();
  server?.close();
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Trains with a receiver that does this with every message; what the run complained about, and what was asked for. */
async function trainWith(
  answer: Answer,
  timeoutMs = 60_000,
): Promise<{ complaints: string[]; asked: string[] }> {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(request.url!);
    used.add(request.socket);
    request.resume();
    answer(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const { trainer, complaints } = tinyRun([notify({ webhook, timeoutMs, retries: 0 })]);
  const { status } = await trainer.fit({ train: samples(8), epochs: 1, batchSize: 2 });
  expect(status).toBe('completed');
  return { complaints, asked };
}

/**
 * Nothing of ours holds on to the server: the process could end. Only connections that carried a request count: after one
 * that was given up, fetch opens a spare one, and drops it after seconds.
 */
async function expectNoConnections(): Promise<void> {
  server!.closeIdleConnections();
  const open = [...used].filter(({ closed }) => !closed);
  await Promise.all(open.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
}

const endless = (response: ServerResponse): void => {
  const write = () => {
    while (!response.destroyed && response.write('no'.repeat(2 ** 15)));
    response.once('drain', write);
  };
  write();
};

const trickle = (response: ServerResponse): void => {
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
};

test('a receiver that never answers costs one short warning, and not the run', async () => {
  const { complaints } = await trainWith(() => {}, 100);
  expect(complaints).toEqual([expect.stringContaining('there was no answer within 100 ms')]);
  await expectNoConnections();
});

test.each<[string, RegExp, Answer]>([
  ['closes the connection', /not sent/, (response) => response.socket!.destroy()],
  ['refuses, and lets the reason trickle', /not sent/, (response) => trickle(response.writeHead(500))],
  ['refuses without an end', /not sent: .*400/, (response) => endless(response.writeHead(400))],
  [
    'refuses, and closes in the middle of the reason',
    /not sent/,
    (response) => {
      response.writeHead(500, { 'content-length': '1000' });
      response.write('half', () => response.socket!.destroy());
    },
  ],
  [
    'answers with what is not HTTP',
    /not sent/,
    (response) => void response.socket!.end('SSH-2.0-OpenSSH_9.6\r\n'),
  ],
])('a receiver that %s costs one short warning, and not the run', async (_what, complaint, answer) => {
  const { complaints } = await trainWith(answer);
  expect(complaints).toEqual([expect.stringMatching(complaint)]);
  expect(complaints[0]!.length).toBeLessThan(700);
  await expectNoConnections();
});

test.each<[string, Answer]>([
  ['lets its thanks trickle', (response) => trickle(response.writeHead(200))],
  ['thanks without an end', (response) => endless(response.writeHead(200))],
])('a receiver that takes the message and %s keeps no connection', async (_what, answer) => {
  await trainWith(answer);
  await expectNoConnections();
});

test('a redirect is not followed: the message stays with the address that was given', async () => {
  const { complaints, asked } = await trainWith((response) =>
    response.writeHead(307, { location: '/elsewhere' }).end(),
  );
  expect(asked).toEqual(['/hook']);
  expect(complaints).toEqual([expect.stringContaining('a redirect, which is not followed')]);
});
