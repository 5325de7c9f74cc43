import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Serves the files of a folder on this machine until the test is over; gives the address. */
export async function serveFolder(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const file = join(folder, request.url!);
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
