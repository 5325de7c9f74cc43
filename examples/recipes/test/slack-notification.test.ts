import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { slackNotification } from '../src/slack-notification.js';
import { train } from './tiny-training.js';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

test('new bests and the end arrive at the webhook', async () => {
  const { url, texts } = await webhook(200);

  const { result } = await train([slackNotification({ url })], { epochs: 2 });

  const [first, second] = result.history.map((metrics) => metrics['val/loss']!.toFixed(4));
  expect(texts).toEqual([
    `New best model: epoch 1, loss ${first}`,
    `New best model: epoch 2, loss ${second}`,
    `Training completed, best loss ${second}`,
  ]);
});

test('the address comes from the environment', async () => {
  const { url, texts } = await webhook(200);
  process.env.SLACK_WEBHOOK_URL = url;
  cleanups.push(() => delete process.env.SLACK_WEBHOOK_URL);

  await train([slackNotification()], { epochs: 1 });

  expect(texts).toHaveLength(2);
});

test('a webhook that refuses or never answers is logged, and training is what it would have been', async () => {
  const refusing = await webhook(500);
  const silent = await webhook(undefined);
  const alone = await train([]);

  const refused = await train([slackNotification({ url: refusing.url })]);
  const ignored = await train([slackNotification({ url: silent.url, timeoutMs: 50 })]);

  expect(refused.said).toContain(
    'error slack-notification: Hook "slack-notification" failed in onEpochEnd at step 8: Slack answered 500',
  );
  expect(ignored.said.find((line) => line.startsWith('error'))).toMatch(/timeout/);
  expect([refused.weights, ignored.weights]).toEqual([alone.weights, alone.weights]);
});

test('a run that fails is told too, with its error', async () => {
  const { url, texts } = await webhook(200);
  const broken = { name: 'broken', transformBatch: () => Promise.reject(new Error('out of data')) };

  await expect(train([slackNotification({ url }), broken])).rejects.toThrow('out of data');

  expect(texts).toEqual(['Training failed: Error: out of data']);
});

/** A server that keeps the texts it is sent, and answers with a status or not at all. */
async function webhook(status: number | undefined): Promise<{ url: string; texts: string[] }> {
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    texts.push(JSON.parse(body).text);
    if (status !== undefined) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, texts };
}
