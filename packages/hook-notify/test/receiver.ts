import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
  /** Settles when the sender has gone before an answer. */
  gone: Promise<void>;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Waits until that many have come. */
  until(count: number): Promise<void>;
  server: Server;
}

/** What a receiver does with the request of that number, from 0: a status, or something else that it writes itself. */
export type Answer = (
  index: number,
  response: ServerResponse,
) => number | undefined | Promise<number | undefined>;

/** A real HTTP server on this machine, which is gone after the test. */
export async function receiver(answer: Answer = () => 200, path = '/'): Promise<Receiver> {
  const received: Received[] = [];
  let wake = (): void => {};
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const gone = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableEnded) resolve();
      });
    });
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const index = received.push({ path: request.url!, headers: request.headers, body, gone }) - 1;
    wake();
    const status = await answer(index, response);
    if (status !== undefined) response.writeHead(status).end('answer');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    received,
    server,
    until: async (count) => {
      while (received.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** An address at which nobody listens. */
export async function closedPort(): Promise<string> {
  const { url, server } = await receiver();
  await new Promise((resolve) => server.close(resolve));
  return url;
}
