import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { jsonLog } from '@hookline/hook-logging';
import { samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { dashboard } from '../src/index.js';
import { ask } from './open-socket.js';

const folder = folderPerTest();

interface Message {
  id: string;
  isWhole: boolean;
  status: string;
  series: Record<string, [number[], number[]]>;
}

/** A run with a page: `visit` is called after the first epoch, with the address that the run has logged. */
async function visited(visit: (url: string) => Promise<void>, hooks: Hook[] = []) {
  let url = '';
  const run = tinyRun(
    [
      ...hooks,
      {
        name: 'visitor',
        timeout: Infinity,
        onEpochEnd: async (ctx) => {
          if (ctx.state.epoch === 0) await visit(url);
        },
      },
      dashboard(),
      jsonLog({ every: 1 }),
    ],
    { runsDir: folder.path },
  );
  const announced: Hook = {
    name: 'announced',
    onInit: () => {
      const line = run.logged.map((each) => JSON.stringify(each)).find((text) => text.includes('token='));
      url = /http:\/\/[^"\s]+/.exec(line ?? '')![0];
    },
  };
  run.trainer.addHook(announced);
  const data = samples(32);
  const result = await run.trainer.fit({ train: data, validation: data, epochs: 5, batchSize: 8 });
  return { ...run, result, url };
}

const tokenOf = (url: string) => new URL(url).searchParams.get('token')!;
const act = (url: string, content: object) =>
  ask(url, '/act', {
    method: 'POST',
    headers: { 'x-hookline-token': tokenOf(url) },
    body: JSON.stringify(content),
  });

/** Reads events until one is as wanted. */
function event(url: string, run: string, isWanted: (message: Message) => boolean): Promise<Message> {
  return new Promise((resolve, reject) => {
    const request = get(new URL(`/events?token=${tokenOf(url)}&run=${run}`, url), (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        for (const block of text.split('\n\n').slice(0, -1)) {
          const data = /^event: run\ndata: (.*)$/m.exec(block)?.[1];
          const message = data === undefined ? undefined : (JSON.parse(data) as Message);
          if (!message || !isWanted(message)) continue;
          request.destroy();
          resolve(message);
        }
      });
    });
    request.on('error', reject);
  });
}

test('a stop from the page stops the run with that reason, and the log keeps who asked', async () => {
  const { result } = await visited(async (url) => {
    expect((await act(url, { verb: 'stop' })).status).toBe(204);
  });
  expect([result.status, result.stopReason]).toEqual(['stopped', 'stopped from the dashboard']);
  expect(readFileSync(join(result.runDir, 'log.jsonl'), 'utf8')).toContain('From the page: stop the run.');
});

test('a page that is opened late is sent the whole curve of the run', async () => {
  let message: Message | undefined;
  const { result } = await visited(async (url) => {
    const { runs } = JSON.parse((await ask(url, `/runs?token=${tokenOf(url)}`)).text);
    message = await event(url, runs[0].id, ({ series }) => (series['batch/loss']?.[0].length ?? 0) >= 4);
  });
  expect(message).toMatchObject({ id: result.runDir.split('/').at(-1), status: 'running' });
  expect(message!.series['batch/loss']![0]).toEqual([1, 2, 3, 4]);
});

test('a page learns how the run ended before the server is gone', async () => {
  let last: Promise<Message> | undefined;
  await visited(async (url) => {
    const { runs } = JSON.parse((await ask(url, `/runs?token=${tokenOf(url)}`)).text);
    await new Promise<void>((isShown) => {
      last = event(url, runs[0].id, ({ status, isWhole }) => {
        isShown();
        return status === 'completed' && isWhole;
      });
    });
  });
  expect((await last!).series['val/loss']![0]).toEqual([4, 8, 12, 16, 20]);
});

test('the learning rate, hooks and validation follow the page', async () => {
  let hooks: { name: string; isOn: boolean }[] = [];
  let calls = 0;
  const counted: Hook = { name: 'counted', onEpochStart: () => void calls++ };
  const { result } = await visited(
    async (url) => {
      await act(url, { verb: 'scale-lr', factor: 0.5 });
      await act(url, { verb: 'switch', hook: 'counted', on: false });
      await act(url, { verb: 'validate' });
      // There is no checkpoint hook in this run.
      expect((await act(url, { verb: 'checkpoint' })).status).toBe(409);
      expect((await act(url, { verb: 'switch', hook: 'nobody', on: false })).status).toBe(409);
      hooks = JSON.parse((await ask(url, `/hooks?token=${tokenOf(url)}`)).text);
    },
    [counted],
  );
  expect(calls).toBe(1);
  expect(hooks.find(({ name }) => name === 'counted')).toMatchObject({ isOn: false });
  const lines = readFileSync(join(result.runDir, 'log.jsonl'), 'utf8').trimEnd().split('\n');
  const rates = lines.map((line) => JSON.parse(line).lr?.sgd).filter((rate) => rate !== undefined);
  expect([rates[0], rates.at(-1)]).toEqual([0.01, 0.005]);
});

test('a page that never reads does not hold up the run, and the server is gone with it', async () => {
  const { result, url } = await visited(async (address) => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.pause();
    const { runs } = JSON.parse((await ask(address, `/runs?token=${tokenOf(address)}`)).text);
    socket.write(
      `GET /events?run=${runs[0].id}&token=${tokenOf(address)} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`,
    );
  });
  expect(result.status).toBe('completed');
  await expect(ask(url, '/')).rejects.toThrow('ECONNREFUSED');
});

test('a port that is taken costs the page, not the run', async () => {
  const { trainer, complaints } = tinyRun([dashboard({ port: 1, host: '203.0.113.1' })], {
    runsDir: folder.path,
  });
  const { status } = await trainer.fit({ train: samples(8), epochs: 1, batchSize: 8 });
  expect([status, complaints]).toEqual([
    'completed',
    [expect.stringContaining('The dashboard cannot be opened')],
  ]);
});

test('training is the same, to the bit, with and without the page', async () => {
  const weightsWith = async (hooks: Hook[]) => {
    const { trainer, weights } = tinyRun(hooks, { runsDir: folder.path });
    await trainer.fit({ train: samples(32), epochs: 2, batchSize: 8 });
    return weights();
  };
  expect(await weightsWith([dashboard()])).toEqual(await weightsWith([]));
});
