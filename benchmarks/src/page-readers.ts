import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';

// Started by the benchmark of the dashboard, in a process of its own: what pages take is not training's.

/** As the page asks for the list of runs. */
const LIST_MS = 5_000;

let close = () => {};

process.on('message', async ({ url, run, pages }: { url: string; run: string; pages: number }) => {
  close();
  if (pages > 0) close = await open(new URL(url), run, pages);
  process.send!('done');
});

/** Pages that read all they are sent, and one that never reads. Resolves when each has had its first message. */
async function open(url: URL, run: string, pages: number): Promise<() => void> {
  const token = url.searchParams.get('token')!;
  const path = `/events?token=${token}&run=${run}`;
  const streams = await Promise.all(Array.from({ length: pages }, () => reader(new URL(path, url))));
  const silent: Socket = connect(Number(url.port), url.hostname);
  silent.on('error', () => {});
  silent.pause();
  silent.write(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
  const lists = setInterval(() => {
    for (let page = 0; page < pages; page++)
      get(new URL(`/runs?token=${token}`, url), (response) => response.resume()).on('error', () => {});
  }, LIST_MS);
  return () => {
    clearInterval(lists);
    silent.destroy();
    for (const stream of streams) stream.destroy();
  };
}

function reader(url: URL): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      response.on('error', () => {});
      response.once('data', () => resolve(response));
      response.resume();
    }).on('error', reject);
  });
}
