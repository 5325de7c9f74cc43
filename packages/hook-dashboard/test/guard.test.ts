import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { refusal } from '../src/server/guard.js';

const DOOR = { token: 'the-token', hosts: ['127.0.0.1:80', 'localhost:80'] };

function asked(method: string, headers: Record<string, string | undefined>, query = ''): number | undefined {
  const request = { method, headers: { host: 'localhost:80', ...headers } } as unknown as IncomingMessage;
  return refusal(request, new URL(`http://localhost/x${query}`), DOOR);
}

const TOKEN = { 'x-hookline-token': 'the-token' };

test('with the token in the header everything passes; in the address only what reads', () => {
  expect(asked('GET', TOKEN)).toBeUndefined();
  expect(asked('POST', TOKEN)).toBeUndefined();
  expect(asked('GET', {}, '?token=the-token')).toBeUndefined();
  for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
    expect(asked(method, {}, '?token=the-token')).toBe(401);
  }
});

test.each(['', 'the-toke', 'the-token ', 'THE-TOKEN', 'the-tokén', 'the-token,the-token'])(
  'the token "%s" is wrong',
  (token) => {
    expect(asked('GET', { 'x-hookline-token': token })).toBe(401);
    expect(asked('GET', {}, `?token=${encodeURIComponent(token)}`)).toBe(401);
  },
);

test('a wrong header is not made good by the address', () => {
  expect(asked('GET', { 'x-hookline-token': 'wrong' }, '?token=the-token')).toBe(401);
});

test.each([
  undefined,
  '',
  'evil.example',
  'evil.example:80',
  'localhost',
  'localhost:81',
  'localhost:80.evil.example',
  '127.0.0.1.evil.example:80',
  'localhost:80, evil.example',
])('the Host %s is not ours', (host) => {
  expect(asked('GET', { ...TOKEN, host })).toBe(421);
});

test('a Host is the same in capitals', () => {
  expect(asked('GET', { ...TOKEN, host: 'LOCALHOST:80' })).toBeUndefined();
});

test.each([
  'https://evil.example',
  'null',
  '',
  'https://localhost:80',
  'http://localhost:81',
  'http://127.0.0.1:80',
])('the Origin "%s" is not the page', (origin) => {
  expect(asked('GET', { ...TOKEN, origin })).toBe(403);
  expect(asked('POST', { ...TOKEN, origin })).toBe(403);
});

test('the page itself may ask, and what a browser calls cross-site may not write', () => {
  expect(asked('POST', { ...TOKEN, origin: 'http://localhost:80' })).toBeUndefined();
  expect(asked('POST', { ...TOKEN, 'sec-fetch-site': 'same-origin' })).toBeUndefined();
  expect(asked('POST', { ...TOKEN, 'sec-fetch-site': 'cross-site' })).toBe(403);
});
