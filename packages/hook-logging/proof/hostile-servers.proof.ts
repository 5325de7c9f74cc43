import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import { samples, tinyRun } from '@hookline/test-runs';
import { expect, onTestFinished, test } from 'vitest';
import { type WandbClient, wandb } from '../src/index.js';
import { HOSTILE } from './hostile-servers.js';

/** Trains with hooks that talk to a server, and ends when nothing holds it any more. */
const PROGRAM = `
  import { notify } from '@hookline/hook-notify';
  import { samples, tinyRun } from '@hookline/test-runs';
  import { mlflow } from './src/index.ts';
  const [url, timeoutMs, end] = process.argv.slice(2);
  const limits = { timeoutMs: Number(timeoutMs), retries: 1 };
  const hooks = url ? [mlflow({ uri: url, ...limits }), notify({ webhook: url, on: ['start'], ...limits })] : [];
  const told = () => new Promise((resolve) => process.stdin.once('data', resolve));
  if (end) hooks.push({ name: 'end', onEpochEnd: () => told().then(() => process.exit()) });
  const { trainer, logged, weights } = tinyRun(hooks);
  const { status } = await trainer.fit({ train: samples(40), validation: samples(8), epochs: 4, batchSize: 2 });
  const said = logged.filter(({ level }) => /warn|error/.test(level));
  console.log(JSON.stringify({ status, weights: await weights(),
    said: said.map(({ fields, message }) => [fields.hook, message]) }));
  process.on('exit', () => console.log(process.resourceUsage().maxRSS));
`;

interface Trained {
  code: number | null;
  status: string;
  weights: number[];
  said: [hook: string, message: string][];
  megabytes: number;
}

/** By one connection: a megabyte is read, and much more may be on its way through the buffers of the system. */
const MOST_TAKEN = 32 * 2 ** 20;

let undisturbed: Promise<Trained> | undefined;

// These do all that is asked of a receiver of messages, if they are quick enough: nobody reads its answer.
const TAKES_MESSAGES = /trickle|answers with|answers without an end|middle of its answer/;

test.each(Object.entries(HOSTILE))(
  'a server that %s costs mlflow and notify one short warning each, and training nothing',
  async (name, answer) => {
    undisturbed ??= train('');
    const { weights, megabytes } = await undisturbed;
    const elsewhere = await serve((_request, response) => void response.end('{}'));
    const server = await serve((_request, response) => answer(response, elsewhere.url));
    const trained = await train(server.url);
    expect(trained).toMatchObject({ code: 0, status: 'completed', weights });
    const warnings = (hook: string) => trained.said.filter(([from]) => from === hook);
    expect(warnings('mlflow')).toHaveLength(1);
    expect(warnings('notify').length).toBeLessThanOrEqual(1);
    if (!TAKES_MESSAGES.test(name)) expect(warnings('notify')).toHaveLength(1);
    for (const [, message] of trained.said) expect(message.length, message).toBeLessThan(700);
    // An answer without an end fills a gigabyte in a second; some of it is in the buffers of the two sockets.
    expect(trained.megabytes).toBeLessThan(megabytes + 150);
    expect(server.most()).toBeLessThan(MOST_TAKEN);
    // A redirect could carry credentials to somebody else.
    expect(elsewhere.requests()).toBe(0);
  },
);

// With so much time, only the size of an answer can end it.
test.each(Object.keys(HOSTILE).filter((name) => name.endsWith('without an end')))(
  'a server that %s is cut off long before mlflow and notify would wait no longer',
  async (name) => {
    const server = await serve((_request, response) => HOSTILE[name]!(response, ''));
    const trained = await train(server.url, 600_000);
    expect(trained).toMatchObject({ code: 0, status: 'completed' });
    expect(server.requests()).toBeGreaterThan(1);
    expect(server.most()).toBeLessThan(MOST_TAKEN);
  },
);

test('a server that answers without an end is cut off by what mlflow sends at the end of a process, too', async () => {
  let asked = 0;
  const server = await serve(({ url }, response) => {
    if (!url!.includes('mlflow')) return;
    asked++;
    // The first request is still to be answered when the process ends, so that everything is left to be sent then.
    if (asked === 1) child.stdin.write('end\n');
    else HOSTILE['answers without an end']!(response, '');
  });
  const child = spawn(process.execPath, [await program(), server.url, '600000', 'end'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(asked).toBeGreaterThan(1);
  expect(server.most()).toBeLessThan(MOST_TAKEN);
});

// The published client is not installed here: this one asks a server at each step, and drops what it answers.
test.each(Object.entries(HOSTILE))(
  'a server that %s costs a W&B client at most one warning, and training nothing',
  async (_name, answer) => {
    const run = async (hooks: ReturnType<typeof wandb>[]) => {
      const { trainer, complaints, weights } = tinyRun(hooks);
      await trainer.fit({ train: samples(8), epochs: 2, batchSize: 2 });
      return { complaints, weights: await weights() };
    };
    const { url } = await serve((_request, response) => answer(response, 'http://127.0.0.1:9/'));
    const end = new AbortController();
    const ask = async (): Promise<void> => {
      const { body } = await fetch(url, { method: 'POST', body: '{}', signal: end.signal });
      for await (const _piece of body!);
    };
    const client: WandbClient = { init: () => ({ log: ask, finish: ask }) };
    const hostile = await run([wandb({ client, every: 1, timeoutMs: 300 })]);
    end.abort();
    expect(hostile.complaints.length, hostile.complaints.join('\n')).toBeLessThanOrEqual(1);
    expect(hostile.weights).toEqual((await run([])).weights);
  },
);

const program = () => bundledProgram(PROGRAM, fileURLToPath(new URL('..', import.meta.url)));

async function train(url: string, timeoutMs = 400): Promise<Trained> {
  const child = spawn(process.execPath, [await program(), url, String(timeoutMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  const [code] = await once(child, 'close');
  const [trained, kilobytes] = out.trim().split('\n') as [string, string];
  return { code, ...JSON.parse(trained), megabytes: Number(kilobytes) / 1024 };
}

interface Server {
  readonly url: string;
  requests(): number;
  /** The bytes that the connection that took most of them has taken. */
  most(): number;
}

async function serve(answer: RequestListener): Promise<Server> {
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    requests++;
    sockets.add(request.socket);
    request.resume();
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    most: () => Math.max(0, ...[...sockets].map(({ bytesWritten }) => bytesWritten)),
  };
}
