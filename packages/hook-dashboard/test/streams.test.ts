import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { folderPerTest } from '@hookline/test-support';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Dashboard, openDashboard } from '../src/index.js';
import { answerer } from '../src/server/answers.js';
import { ask } from './open-socket.js';

const folder = folderPerTest();
let dashboard: Dashboard;
beforeEach(async () => {
  dashboard = await openDashboard(folder.path, { everyMs: 2 });
});
afterEach(() => dashboard.close());

function runIn(id: string, status = 'running'): void {
  mkdirSync(folder.in(id));
  writeFileSync(folder.in(id, 'run.json'), JSON.stringify({ id, status }));
  say(id, 1, 9);
}

function say(id: string, step: number, loss: number): void {
  const line = { event: 'log', epoch: 0, step, metrics: { loss } };
  appendFileSync(folder.in(id, 'log.jsonl'), `${JSON.stringify(line)}\n`);
}

interface Told {
  readonly id: string;
  readonly isWhole: boolean;
  readonly series: Record<string, [number[], number[]]>;
}

/** A page that shows these runs. */
class Page {
  text = '';
  readonly ended: Promise<void>;
  #request;
  constructor(...runs: string[]) {
    const query = runs.map((run) => `&run=${encodeURIComponent(run)}`).join('');
    let isEnded: (() => void) | undefined;
    this.ended = new Promise((resolve) => (isEnded = resolve));
    this.#request = get(`${dashboard.url.replace('/?', '/events?')}${query}`, (response: IncomingMessage) => {
      response.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
      response.on('end', () => isEnded!()).on('error', () => {});
    }).on('error', () => {});
  }
  of(id: string): Told[] {
    const told = [...this.text.matchAll(/^event: run\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
    return told.filter((message) => message.id === id);
  }
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise(setImmediate);
  }
  leave(): void {
    this.#request.destroy();
  }
}

test('a page shows several runs at once, and learns of all of them how they ended', async () => {
  for (const id of ['a', 'b']) runIn(id);
  const page = new Page('a', 'b');
  await page.until(() => page.of('a').length > 0 && page.of('b').length > 0);
  page.text = '';
  for (const id of ['a', 'b'])
    writeFileSync(folder.in(id, 'run.json'), JSON.stringify({ id, status: 'stopped' }));
  await dashboard.close();
  await page.ended;
  expect(page.of('a').at(-1)).toMatchObject({ isWhole: true, status: 'stopped' });
  expect(page.of('b').at(-1)).toMatchObject({ isWhole: true, status: 'stopped' });
});

test('a page that shows nothing is ended with the server, too', async () => {
  const page = new Page();
  await page.until(() => page.text.includes('retry'));
  await dashboard.close();
  await page.ended;
  expect(page.text).toBe('retry: 1000\n\n');
});

test('a page that comes back is sent everything again', async () => {
  runIn('a');
  const first = new Page('a');
  await first.until(() => first.of('a').length > 0);
  say('a', 2, 8);
  await first.until(() => first.of('a').length > 1);
  first.leave();
  say('a', 3, 7);
  const again = new Page('a');
  await again.until(() => again.of('a').length > 0);
  expect(again.of('a')[0]).toMatchObject({
    isWhole: true,
    series: {
      loss: [
        [1, 2, 3],
        [9, 8, 7],
      ],
    },
  });
});

test('twenty pages are told the same, each new point once', async () => {
  runIn('a');
  const pages = Array.from({ length: 20 }, () => new Page('a'));
  for (const page of pages) await page.until(() => page.of('a').length > 0);
  say('a', 2, 8);
  for (const page of pages) {
    await page.until(() => page.of('a').some(({ isWhole }) => !isWhole));
    expect(
      page
        .of('a')
        .filter(({ isWhole }) => !isWhole)
        .map(({ series }) => series),
    ).toEqual([{ loss: [[2], [8]] }]);
  }
});

test('at most eight runs are shown in a page, and one that is named twice is told once', async () => {
  const ids = Array.from({ length: 10 }, (_, at) => `run-${at}`);
  for (const id of ids) runIn(id, 'completed');
  const page = new Page(...ids);
  // They are read at the same time: the last one may be told first.
  await page.until(() => ids.slice(0, 8).every((id) => page.of(id).length > 0));
  const twice = new Page('run-0', 'run-0');
  await twice.until(() => twice.of('run-0').length > 0);
  expect(ids.filter((id) => page.of(id).length > 0)).toEqual(ids.slice(0, 8));
  expect(twice.of('run-0').filter(({ isWhole }) => isWhole)).toHaveLength(1);
});

test('a run whose folder is deleted while it is shown breaks nothing', async () => {
  for (const id of ['a', 'b']) runIn(id);
  const page = new Page('a', 'b');
  await page.until(() => page.of('a').length > 0 && page.of('b').length > 0);
  rmSync(folder.in('a'), { recursive: true });
  say('b', 2, 8);
  await page.until(() => page.of('b').length > 1);
  await dashboard.close();
  await page.ended;
});

test('a line that is written in two pieces is told when it is whole', async () => {
  runIn('a');
  const page = new Page('a');
  await page.until(() => page.of('a').length > 0);
  appendFileSync(folder.in('a', 'log.jsonl'), '{"event":"log","epoch":0,"step":2,');
  await new Promise((resolve) => setTimeout(resolve, 20));
  appendFileSync(folder.in('a', 'log.jsonl'), '"metrics":{"loss":8}}\n');
  await page.until(() => page.text.includes('[[2],[8]]'));
  expect(page.of('a').flatMap(({ series }) => series.loss?.[0] ?? [])).toEqual([1, 2]);
});

test('the run of a page that is gone before it was answered is followed for nobody', async () => {
  for (const id of ['a', 'b']) runIn(id);
  let looks = 0;
  const hooks = () => {
    looks++;
    return [];
  };
  const door = { token: 't', hosts: ['127.0.0.1:1'] };
  const options = { run: 'a', controls: { hooks, act: () => true }, everyMs: 2 };
  const { answer } = answerer(folder.path, door, options);
  const server = createServer((request, response) => {
    answer(request, response);
    if (request.url!.endsWith('gone')) request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const headers = { host: '127.0.0.1:1', 'x-hookline-token': 't' };
  const visit = (path: string) => ask(`http://127.0.0.1:${port}`, path, { headers, until: 'event: run' });
  await expect(visit('/events?run=a&gone')).rejects.toThrow('socket hang up');
  await visit('/events?run=b');
  expect(looks).toBe(0);
  await visit('/events?run=a');
  // Once in two seconds, which may have passed.
  expect(looks).toBeGreaterThan(0);
});
