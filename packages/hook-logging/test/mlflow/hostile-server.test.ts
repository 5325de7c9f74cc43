import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { samples, tinyRun } from '@hookline/test-runs';
import { afterEach, expect, test } from 'vitest';
import { mlflow } from '../../src/index.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let server: Server | undefined;
const used = new Set<Socket>();
afterEach(() => {
  used.clear();
  server?.closeAllConnections();
  server?.close();
});

/** Trains with a tracking server that does this with every request, and returns what the run complained about. */
async function complaintsAbout(
  answer: (response: ServerResponse) => void,
  timeoutMs: number,
): Promise<string[]> {
  server = createServer((request, response) => {
    used.add(request.socket);
    request.resume();
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hook = mlflow({ uri, timeoutMs, retries: 1 });
  // As in a long run: what nobody holds is gone.
  const collector = { name: 'collector', onEpochEnd: collectGarbage };
  const { trainer, complaints } = tinyRun([hook, collector]);
  const { status } = await trainer.fit({ train: samples(8), epochs: 3, batchSize: 2 });
  expect(status).toBe('completed');
  return complaints;
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

const LATE = /did not answer|no complete answer/;

const endless = (response: ServerResponse, piece: string) => {
  const write = () => {
    while (!response.destroyed && response.write(piece));
    response.once('drain', write);
  };
  write();
};

test.each<[string, RegExp, (response: ServerResponse) => void]>([
  ['never answers', LATE, () => {}],
  [
    'sends the headers slowly',
    LATE,
    (response) => {
      response.socket!.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => response.socket?.write('x: y\r\n'), 20);
      response.socket!.once('close', () => clearInterval(timer));
    },
  ],
  [
    'lets its answer trickle',
    LATE,
    (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    },
  ],
  [
    'answers without an end',
    /more than 1000000 bytes/,
    (response) => endless(response.writeHead(200), ' '.repeat(2 ** 16)),
  ],
  [
    'refuses without an end',
    /answered 400/,
    (response) => endless(response.writeHead(400), 'no'.repeat(2 ** 15)),
  ],
  ['closes the connection', /cannot be reached/, (response) => void response.socket!.destroy()],
  [
    'redirects',
    /redirect, which is not followed/,
    (response) => void response.writeHead(302, { location: 'http://elsewhere.example/' }).end(),
  ],
  [
    'refuses at length',
    /answered 400: no no no/,
    (response) => void response.writeHead(400).end(JSON.stringify({ message: 'no\n'.repeat(200_000) })),
  ],
  ['answers with something else', /as a tracking server does/, (response) => void response.end('<html>')],
  ['answers with other JSON', /run\.info\.run_id is missing/, (response) => void response.end('[1]')],
])('a server that %s costs one short warning', async (_name, warning, answer) => {
  const complaints = await complaintsAbout(answer, warning === LATE ? 250 : 30_000);
  expect(complaints).toHaveLength(1);
  expect(complaints[0]).toMatch(warning);
  expect(complaints[0]!.length).toBeLessThan(700);
  await expectNoConnections();
});
