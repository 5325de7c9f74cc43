import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { folderPerTest } from '@hookline/test-support';
import { expect, onTestFinished, test } from 'vitest';
import type { Controls } from '../src/server/acts.js';
import { RunFeed } from '../src/server/run-feed.js';

const folder = folderPerTest();

/** What a page has been sent. */
class Page extends PassThrough {
  #text = '';
  constructor() {
    super();
    this.on('data', (data) => (this.#text += data));
  }
  get messages(): { event: string; data: Record<string, never> & { isWhole?: boolean; status?: string } }[] {
    return [...this.#text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, event, data]) => ({
      event: event!,
      data: JSON.parse(data!),
    }));
  }
  runs() {
    return this.messages.filter(({ event }) => event === 'run').map(({ data }) => data);
  }
}

function fed({ status = 'running', controls = async (): Promise<Controls | undefined> => undefined } = {}) {
  const [run, log] = [folder.in('a'), folder.in('a', 'log.jsonl')];
  mkdirSync(run);
  writeFileSync(folder.in('a', 'run.json'), JSON.stringify({ id: 'a', status }));
  const say = (line: object) => appendFileSync(log, `${JSON.stringify(line)}\n`);
  say({ event: 'log', epoch: 0, step: 1, metrics: { loss: 3 } });
  let isEmpty = false;
  const feed = new RunFeed(run, { everyMs: 1, controls, onEmpty: () => (isEmpty = true) });
  onTestFinished(() => feed.close());
  const open = () => {
    const page = new Page();
    feed.join(page as unknown as ServerResponse);
    return page;
  };
  return { feed, say, open, run, isEmpty: () => isEmpty };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

test('a page is sent everything first and then what is new; one that comes late has the same curve', async () => {
  const { say, open } = fed();
  const early = open();
  await until(() => early.runs().length > 0);
  say({ event: 'log', epoch: 0, step: 2, metrics: { loss: 2 } });
  await until(() => early.runs().length > 1);
  expect(early.runs().map(({ isWhole, series }) => [isWhole, series])).toEqual([
    [true, { loss: [[1], [3]] }],
    [false, { loss: [[2], [2]] }],
  ]);
  const late = open();
  await until(() => late.runs().length > 0);
  expect(late.runs()[0]).toMatchObject({
    isWhole: true,
    series: {
      loss: [
        [1, 2],
        [3, 2],
      ],
    },
  });
});

test('a run that takes steps back sends everything again', async () => {
  const { say, open } = fed();
  const page = open();
  say({ event: 'log', epoch: 0, step: 5, metrics: { loss: 9 } });
  await until(() => JSON.stringify(page.runs()).includes('9'));
  say({ event: 'start', epoch: 0, step: 1 });
  say({ event: 'log', epoch: 0, step: 2, metrics: { loss: 7 } });
  await until(() => JSON.stringify(page.runs()).includes('7'));
  const last = page.runs().findLast(({ isWhole }) => isWhole)!;
  expect(last).toMatchObject({
    series: { loss: [expect.arrayContaining([1]), expect.arrayContaining([3])] },
  });
  expect(JSON.stringify(last)).not.toContain('9');
});

test('pages learn whether the run can be acted on, and its hooks with their cost', async () => {
  const hooks = [{ name: 'a', isOn: true, calls: 1, milliseconds: 2 }];
  const { open } = fed({ controls: async () => ({ hooks: () => hooks, act: () => true }) });
  const page = open();
  await until(() => page.messages.some(({ event }) => event === 'controls'));
  expect(page.messages.find(({ event }) => event === 'controls')!.data).toEqual({ folder: 'a', hooks });
});

test('a run that nobody can act on, or whose process does not answer, is only shown', async () => {
  for (const controls of [async () => undefined, () => Promise.reject(new Error('gone'))]) {
    const feed = new RunFeed(folder.path, { everyMs: 1, controls, onEmpty: () => {} });
    const page = new Page();
    feed.join(page as unknown as ServerResponse);
    await until(() => page.messages.some(({ event }) => event === 'controls'));
    expect(page.messages.find(({ event }) => event === 'controls')!.data).toMatchObject({ hooks: null });
    feed.close();
  }
});

test('the end is told to every page, once, and a page that never reads is not waited for', async () => {
  const { feed, open, say } = fed();
  const page = open();
  const stuck = new PassThrough({ highWaterMark: 1 });
  feed.join(stuck as unknown as ServerResponse);
  await until(() => page.runs().length > 0);
  say({ event: 'end', status: 'stopped', stopReason: 'enough' });
  await feed.finish();
  expect(page.runs().at(-1)).toMatchObject({ isWhole: true, status: 'stopped', stopReason: 'enough' });
  const told = page.runs().length;
  say({ event: 'log', epoch: 0, step: 9, metrics: { loss: 1 } });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(page.runs()).toHaveLength(told);
});

test('hooks that answer when all is over are told to nobody: an ended page takes nothing more', async () => {
  let answer: ((hooks: []) => void) | undefined;
  const hooks = () => new Promise<[]>((resolve) => (answer = resolve));
  const { feed, open } = fed({ controls: async () => ({ hooks, act: () => true }) });
  const page = open();
  await until(() => answer !== undefined && page.runs().length > 0);
  await feed.finish();
  page.end();
  const errors: Error[] = [];
  page.on('error', (error) => errors.push(error));
  answer!([]);
  await new Promise(setImmediate);
  expect(errors).toEqual([]);
});

test('nobody looks at the folder once the last page is gone', async () => {
  const { open, isEmpty } = fed();
  const [first, second] = [open(), open()];
  await until(() => first.runs().length > 0);
  first.emit('close');
  expect(isEmpty()).toBe(false);
  second.emit('close');
  expect(isEmpty()).toBe(true);
});
