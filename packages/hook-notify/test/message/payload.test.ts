import { expect, test } from 'vitest';
import { webhookOf } from '../../src/delivery/webhook.js';
import { bodyOf, type Payload } from '../../src/message/payload.js';

const payload: Payload = {
  version: 1,
  event: 'end',
  text: 'Run x completed & <!channel> @everyone',
  time: '2026-01-01T00:00:00.000Z',
  run: { id: 'x', configHash: 'h', gitCommit: 'c' },
  epoch: 1,
  step: 2,
  metrics: { 'val/loss': -Infinity },
};

test('Slack gets escaped text, so that nothing in it is a mention or a link', () => {
  expect(JSON.parse(bodyOf(payload, 'slack'))).toEqual({
    text: 'Run x completed &amp; &lt;!channel&gt; @everyone',
  });
});

test('Discord gets the text as it is, with mentions off', () => {
  expect(JSON.parse(bodyOf(payload, 'discord'))).toEqual({
    content: payload.text,
    allowed_mentions: { parse: [] },
  });
});

test('everybody else gets all of it as JSON', () => {
  expect(JSON.parse(bodyOf(payload, 'json'))).toEqual({ ...payload, metrics: { 'val/loss': '-Infinity' } });
});

test.each([
  ['https://hooks.slack.com/services/T0/B0/x', 'slack'],
  ['https://hooks.slack-gov.com/services/T0/B0/x', 'slack'],
  ['https://discord.com/api/webhooks/1/x', 'discord'],
  ['https://canary.discord.com/api/webhooks/1/x', 'discord'],
  ['https://discordapp.com/api/webhooks/1/x', 'discord'],
  ['https://notslack.com/services', 'json'],
  ['https://slack.com.example.org/', 'json'],
  ['http://127.0.0.1:8080/', 'json'],
])('the format of %s is %s', (address, format) => {
  expect(webhookOf(address, 'test', undefined).format).toBe(format);
});

test('a format that is given counts', () => {
  expect(webhookOf('https://chat.example.org/', 'test', 'slack').format).toBe('slack');
});

test('credentials go into a header, as an address with them cannot be fetched', () => {
  const { href, headers } = webhookOf('https://us%40er:pa%3Ass@example.org/x', 'test', undefined);
  expect(href).toBe('https://example.org/x');
  expect(headers.authorization).toBe(`Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`);
});
