import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Hook } from '@hookline/hook-api';
import { bundledProgram } from '@hookline/test-programs';
import { scriptedLosses } from '@hookline/test-runs';
import { itOn } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { notify } from '../src/index.js';
import { closedPort, receiver } from './receiver.js';

test('training continues while the receiver has not answered', async () => {
  const order: string[] = [];
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { url, until } = await receiver(async () => {
    order.push('request');
    await answered;
    order.push('answer');
    return 200;
  });
  // The answer comes only when a later step has ended: a hook that waited for it would wait forever.
  const steps: Hook = {
    name: 'steps',
    async onStepEnd(_ctx, { step }) {
      if (step < 3) return;
      await until(1);
      order.push(`step ${step}`);
      if (step === 4) answer();
    },
  };
  const hook = notify({ webhook: url, on: ['start'], timeoutMs: 600_000 });
  const run = scriptedLosses([1, 1], [steps, hook], { batchSize: 1 });
  expect((await run.fit()).status).toBe('completed');
  expect(order).toEqual(['request', 'step 3', 'step 4', 'answer']);
});

test('a receiver that never answers costs the run its timeout and one warning, no more', async () => {
  const { url, received } = await receiver(() => undefined);
  const run = scriptedLosses([0.5], [notify({ webhook: url, timeoutMs: 100 })]);
  expect((await run.fit()).status).toBe('completed');
  expect(run.warnings('notify')).toHaveLength(1);
  expect(run.warnings('notify')[0]).toMatch(/^The message about "end" was not sent: /);
  for (const { gone } of received) await gone;
});

test('a dead receiver is reported once, with the total at the end', async () => {
  const url = await closedPort();
  const run = scriptedLosses([5, 4, 3, 2, 1], [notify({ webhook: url, on: ['best', 'end'], retries: 0 })]);
  expect((await run.fit()).status).toBe('completed');
  expect(run.warnings('notify')).toEqual([
    'The message about "best" was not sent: the connection failed (ECONNREFUSED).',
    '5 messages were not sent.',
  ]);
});

test('a failure of the run is not hidden by a dead receiver', async () => {
  const failing: Hook = {
    name: 'failing',
    onError: 'fail',
    onEpochEnd() {
      throw new Error('broken');
    },
  };
  const run = scriptedLosses([0.5], [failing, notify({ webhook: await closedPort(), retries: 0 })]);
  await expect(run.fit()).rejects.toThrow('broken');
});

// Its program trains on the backend that it has by itself.
itOn('cpu')('a process whose receiver hangs ends by itself', async () => {
  const { url, received } = await receiver(() => undefined);
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const file = await bundledProgram(new URL('./hanging-run.ts', import.meta.url), folder);
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, HOOKLINE_WEBHOOK_URL: url },
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  expect(out).toBe('completed\n');
  expect(code).toBe(0);
  expect(received.map(({ body }) => (body as { event: string }).event)).toContain('end');
});
