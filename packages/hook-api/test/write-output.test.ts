import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { writeOutput } from '../src/helpers.js';

test('a full disk costs the text, and nothing else', async () => {
  const stream = createWriteStream('/dev/full');
  const failure = new Promise<unknown>((resolve) => writeOutput(stream, 'lost', resolve));
  expect(await failure).toMatchObject({ code: 'ENOSPC' });
  await new Promise<void>((resolve) => void stream.once('close', () => resolve()));
  await turn();
  await turn();
  expect(stream.listenerCount('error')).toBe(0);
  const again = new Promise<unknown>((resolve) => writeOutput(stream, 'lost as well', resolve));
  expect(await again).toMatchObject({ code: 'ERR_STREAM_DESTROYED' });
});

test('so does a reader that has gone', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const socket: Socket = createConnection(port);
  await once(socket, 'connect');
  const failures: unknown[] = [];
  while (failures.length === 0) {
    writeOutput(socket, 'text', (error) => failures.push(error));
    await turn();
  }
  expect(failures[0]).toMatchObject({ code: expect.stringMatching(/EPIPE|ECONNRESET|ERR_STREAM/) });
  server.close();
});

test('an error of somebody else on the same stream is still theirs', async () => {
  const stream = createWriteStream('/dev/null');
  await new Promise<void>((resolve) => {
    writeOutput(stream, 'text');
    stream.write('text', () => resolve());
  });
  expect(stream.listenerCount('error')).toBe(0);
});

test('a stream that throws is reported like one that fails later', () => {
  const onFailure = vi.fn();
  const error = new Error('broken');
  const write = () => {
    throw error;
  };
  writeOutput({ write }, 'text', onFailure);
  expect(() => writeOutput({ write }, 'text')).not.toThrow();
  expect(onFailure).toHaveBeenCalledWith(error);
});
