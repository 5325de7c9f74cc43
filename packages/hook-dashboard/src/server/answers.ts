import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRuns } from '@hookline/run-view';
import { type Controls, parseAct } from './acts.js';
import { type Door, refusal } from './guard.js';
import { remoteControls } from './remote-controls.js';
import { RunFeed } from './run-feed.js';
import { RunList } from './run-list.js';

export interface AnswerOptions {
  readonly run?: string | undefined;
  readonly controls?: Controls | undefined;
  readonly everyMs?: number | undefined;
}

const LARGEST_BODY = 4_096;
const MOST_PAGES = 50;
const MOST_SHOWN = 8;
const PATIENCE_MS = 500;

const require = createRequire(import.meta.url);
/** Files of the page, and of the library that draws its charts. Nothing else on the disk is served. */
const FILES: Readonly<Record<string, readonly [type: string, path: () => string]>> = {
  '/': ['text/html', () => pageFile('index.html')],
  '/style.css': ['text/css', () => pageFile('style.css')],
  ...Object.fromEntries(
    ['app', 'cards', 'charts', 'dom', 'facts', 'lines', 'plot', 'points', 'reading', 'server'].map((name) => [
      `/${name}.js`,
      ['text/javascript', () => pageFile(`${name}.js`)] as const,
    ]),
  ),
  '/uplot.js': ['text/javascript', () => require.resolve('uplot/dist/uPlot.iife.min.js')],
  '/uplot.css': ['text/css', () => require.resolve('uplot/dist/uPlot.min.css')],
};

/** By the package's own name: this file is elsewhere in the sources than in what is published. */
function pageFile(name: string): string {
  return join(dirname(require.resolve('@hookline/hook-dashboard/package.json')), 'page', name);
}

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Answers the requests of pages. */
export function answerer(
  folder: string,
  door: Door,
  { run, controls, everyMs = 500 }: AnswerOptions,
): { answer(request: IncomingMessage, response: ServerResponse): void; close(): Promise<void> } {
  const feeds = new Map<string, RunFeed>();
  const pages = new Set<ServerResponse>();
  const list = new RunList(folder);

  /** Of the run of this process, or of one that another process trains. */
  const controlsOf = async (path: string): Promise<Controls | undefined> =>
    basename(path) === run ? controls : remoteControls(path);

  const feedOf = (path: string): RunFeed => {
    const options = { everyMs, controls: () => controlsOf(path), onEmpty: () => feeds.delete(path) };
    const feed = feeds.get(path) ?? new RunFeed(path, options);
    feeds.set(path, feed);
    return feed;
  };

  const controlsOfNamed = async (name: string | undefined): Promise<Controls | undefined> => {
    if (name === undefined || name === run) return controls;
    const other = (await findRuns(folder)).find((path) => basename(path) === name);
    return other === undefined ? undefined : controlsOf(other);
  };

  const stream = async (url: URL, response: ServerResponse): Promise<void> => {
    if (pages.size >= MOST_PAGES) return end(response, 503, 'Too many pages are open.');
    pages.add(response);
    response.once('close', () => pages.delete(response));
    const asked = new Set(url.searchParams.getAll('run').slice(0, MOST_SHOWN));
    // By the name of a folder that is there: what somebody asks for never becomes a path.
    const found = (await findRuns(folder)).filter((path) => asked.has(basename(path)));
    // A page that is gone by now says so no more, and its runs would be followed for nobody.
    if (response.destroyed) return;
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    response.write('retry: 1000\n\n');
    for (const path of found) feedOf(path).join(response);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(`http://localhost${request.url ?? '/'}`);
    const { pathname } = url;
    const isOurs = Object.hasOwn(FILES, pathname) && pathname !== '/';
    const refused = refusal(request, url, door);
    // Scripts and styles hold no secret, and the page cannot put the token into their addresses.
    if (refused !== undefined && !(refused === 401 && isOurs && request.method === 'GET')) {
      return end(response, refused, REASONS[refused]!);
    }
    if (request.method === 'POST' && pathname === '/act') return act(request, response, controlsOfNamed);
    if (request.method !== 'GET') return end(response, 405, 'Only GET, and POST to /act.');
    if (Object.hasOwn(FILES, pathname)) return file(response, FILES[pathname]!);
    if (pathname === '/runs') return json(response, { runs: await list.read(), run, folder });
    if (pathname === '/hooks') return json(response, (await controls?.hooks()) ?? []);
    if (pathname === '/events') return stream(url, response);
    return end(response, 404, 'There is nothing here.');
  };

  return {
    answer: (request, response) => {
      answer(request, response).catch(() => {
        if (response.headersSent) response.destroy();
        else end(response, 500, 'Something went wrong.');
      });
    },
    close: async () => {
      await Promise.all([...feeds.values()].map((feed) => feed.finish()));
      const told = [...pages].map((page) => new Promise<void>((resolve) => page.end(resolve)));
      // A page that does not read is not waited for.
      await Promise.race([Promise.all(told), sleep(PATIENCE_MS)]);
    },
  };
}

const REASONS: Readonly<Record<number, string>> = {
  401: 'The token is missing or wrong: open the address that was printed when the dashboard started.',
  403: 'Requests from other pages are refused.',
  421: 'This server is not known by that name.',
};

/** Does what a page asks for: to its own run, or to the one that it names. */
async function act(
  request: IncomingMessage,
  response: ServerResponse,
  controlsOf: (run: string | undefined) => Promise<Controls | undefined>,
): Promise<void> {
  const body = await bodyOf(request);
  if (body === undefined) {
    response.once('finish', () => request.destroy());
    return end(response, 413, 'The request is too large.');
  }
  const asked = parseAct(body);
  if (!asked) return end(response, 400, 'There is no such action.');
  const target = await controlsOf(asked.run);
  if (!target) return end(response, 409, 'This run cannot be controlled from here.');
  const isDone = await target.act(asked.act);
  return isDone ? end(response, 204, '') : end(response, 409, 'The run cannot do that.');
}

/** Undefined when it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  let body = '';
  for await (const chunk of request) {
    body += chunk;
    if (body.length > LARGEST_BODY) return undefined;
  }
  return body;
}

async function file(response: ServerResponse, [type, path]: (typeof FILES)[string]): Promise<void> {
  const content = await readFile(path());
  response.writeHead(200, { ...HEADERS, 'content-type': `${type}; charset=utf-8` }).end(content);
}

function json(response: ServerResponse, content: unknown): void {
  response.writeHead(200, { ...HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(content));
}

function end(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    .end(text);
}
