import { expect, test } from 'vitest';
import { readableConfig } from '../../../src/run/record/config-hash.js';

const NAMES = `
  authorization auth credentials passwd pass passphrase privateKey accessKey cookie bearer jwt dsn connectionString
  headers password dbPassword DB_PASSWORD pwd secret clientSecret apiKey api_key API-KEY apikey token authToken
  accessToken refresh_token idToken webhook webhookUrl cookies credential creds proxyAuthorization basicAuth oauth
  private_key PRIVATE_KEY sshKey signingKey encryptionKey accountKey awsSecretAccessKey subscription-key sas
`
  .trim()
  .split(/\s+/);

const TEXTS = [
  'https://user:hush@x.example/path',
  'postgres://user:hush@db.example/runs',
  'https://hush@sentry.example/1',
  'https://store.example/blob?sv=1&sig=hush',
  'https://maps.example/?key=hush',
  'https://x.example/data?a=1&access_token=hush',
  'https://s3.example/x?X-Amz-Credential=hush&X-Amz-Date=1',
  'https://s3.example/x?X-Amz-Signature=hush',
  'https://x.example/?api_key=hush',
  'https://hooks.slack.com/services/T0/B0/hush',
  'https://discord.com/api/webhooks/1/hush',
  'Bearer hush-hush-hush',
  'Authorization: Basic aHVzaDpodXNo',
  'Cookie: session=hush',
  'Server=db;User Id=me;Password=hush;',
  'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=hush==',
  '-----BEGIN RSA PRIVATE KEY-----\nhush',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodXNoIn0.hush',
  `ghp_${'hush'.repeat(9)}`,
  `sk-${'hush'.repeat(9)}`,
  `hf_${'hush'.repeat(8)}`,
  'AKIAHUSHHUSHHUSHHUSH',
];

test.each(NAMES)('an option named %s is not stored', (name) => {
  for (const value of ['hush', { inner: 'hush' }, ['hush'], Buffer.from('hush')]) {
    expect(readableConfig({ hooks: [{ [name]: value }] })).toEqual({ hooks: [{ [name]: '[redacted]' }] });
    expect(readableConfig(new Map([[name, value]]))).toEqual({ $map: [[name, '[redacted]']] });
  }
});

test.each(TEXTS)('a text that is a secret itself is not stored, whatever its name: %s', (text) => {
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
