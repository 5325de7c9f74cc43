import { SECRET_NAMES, SECRET_TEXTS } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { readableConfig } from '../../../src/run/record/config-hash.js';

test.each(SECRET_NAMES)('an option named %s is not stored', (name) => {
  for (const value of ['hush', { inner: 'hush' }, ['hush'], Buffer.from('hush')]) {
    expect(readableConfig({ hooks: [{ [name]: value }] })).toEqual({ hooks: [{ [name]: '[redacted]' }] });
    expect(readableConfig(new Map([[name, value]]))).toEqual({ $map: [[name, '[redacted]']] });
  }
});

test.each(SECRET_TEXTS)('a text that is a secret itself is not stored, whatever its name: %s', (text) => {
  expect(readableConfig({ uri: text, list: [text] })).toEqual({ uri: '[redacted]', list: ['[redacted]'] });
});

test('nor is an address that is given as a URL', () => {
  const config = { uri: new URL('https://user:hush@x.example') };
  expect(JSON.stringify(readableConfig(config))).not.toContain('hush');
});

test('what only sounds like a secret is stored', () => {
  const config = {
    ...{ maxTokens: 512, tokenizer: 'bpe', pass: 2, auth: false, headers: true, token: null },
    ...{ bypass: 'x', compass: 'north', author: 'me', authored: 'x', monitor: 'val/loss', key: 'label' },
    ...{ keyPath: 'a/b', signature: 'serving_default', passthrough: 'yes', keyboard: 'qwerty', monkey: 'x' },
    url: 'https://x.example/data?page=2&monkey=1',
    file: '/home/me/keys/data.csv',
    note: 'the basic model, with a bearer of bad news',
  };
  expect(readableConfig(config)).toEqual(config);
});
