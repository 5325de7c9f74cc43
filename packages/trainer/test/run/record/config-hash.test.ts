import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '@hookline/test-programs';
import * as tf from '@tensorflow/tfjs-core';
import * as layers from '@tensorflow/tfjs-layers';
import { afterEach, describe, expect, it } from 'vitest';
import '../../../src/backends/select-backend.js';
import { configHash, readableConfig } from '../../../src/run/record/config-hash.js';

class Schedule {
  constructor(
    readonly warmup: number,
    readonly inner?: Schedule,
  ) {}
}

afterEach(() => {
  tf.disposeVariables();
});

describe('the config hash', () => {
  it('does not depend on the order of keys, nor on options given as undefined', () => {
    const a = {
      lr: 0.1,
      model: { units: 3, act: 'relu' },
      tags: new Map([
        ['x', 1],
        ['y', 2],
      ]),
      set: new Set([1, 2]),
    };
    const b = {
      set: new Set([2, 1]),
      tags: new Map([
        ['y', 2],
        ['x', 1],
      ]),
      model: { act: 'relu', units: 3 },
      lr: 0.1,
      seed: undefined,
    };
    expect(configHash(a)).toBe(configHash(b));
    expect(configHash(a)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is the same in another process', async () => {
    const config = `{ lr: 0.1, loss: function mse() {}, when: new Date(0), size: 10n, data: new Float32Array([1, 2]), nan: NaN }`;
    const code = `import { configHash } from './src/run/record/config-hash.ts'; process.stdout.write(configHash(${config}));`;
    const file = await bundledProgram(code, fileURLToPath(new URL('../../..', import.meta.url)));
    const elsewhere = execFileSync(process.execPath, [file], { encoding: 'utf8' });
    expect(elsewhere).toBe(
      configHash({
        nan: Number.NaN,
        data: new Float32Array([1, 2]),
        size: 10n,
        when: new Date(0),
        loss: function mse() {},
        lr: 0.1,
      }),
    );
  });

  it.each<[string, unknown, unknown]>([
    ['numbers', 0.1, 0.2],
    ['zero and minus zero', 0, -0],
    ['NaN and null', Number.NaN, null],
    ['Infinity and minus Infinity', Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ['a number and its text', 1, '1'],
    ['a number and a bigint', 1, 1n],
    ['dates', new Date(0), new Date(1)],
    ['a date and its text', new Date(0), new Date(0).toISOString()],
    ['regular expressions', /a/, /a/i],
    ['functions of different names', function mse() {}, function mae() {}],
    ['symbols', Symbol('a'), Symbol('b')],
    ['the order of a list', [1, 2], [2, 1]],
    ['a hole in a list and null', [undefined], [null]],
    ['maps', new Map([[1, 'a']]), new Map([[1, 'b']])],
    ['a map and an object', new Map([['a', 1]]), { a: 1 }],
    ['classes', new Schedule(1), { warmup: 1 }],
    ['fields of an instance', new Schedule(1, new Schedule(2)), new Schedule(1, new Schedule(3))],
    ['typed arrays', new Float32Array([1, 2]), new Float32Array([1, 3])],
    ['types of typed arrays', new Float32Array(2), new Int32Array(2)],
    ['buffers', new Uint8Array([1]).buffer, new Uint8Array([2]).buffer],
    ['long lists', Array.from({ length: 1000 }, (_, i) => i), Array.from({ length: 1000 }, (_, i) => i + 1)],
    ['URLs', new URL('https://a.example'), new URL('https://b.example')],
    ['errors', new Error('a'), new Error('b')],
    ['a mark and an object that looks like it', Number.NaN, { $number: 'NaN' }],
    ['secrets', { apiKey: 'one' }, { apiKey: 'two' }],
  ])('tells apart %s', (_, a, b) => {
    expect(configHash({ value: a })).not.toBe(configHash({ value: b }));
    expect(configHash({ value: a })).toBe(configHash({ value: a }));
  });

  it('tells tensors apart by type, shape and, when they are small, by value', () => {
    const hashes = tf.tidy(() =>
      [
        tf.tensor1d([1, 2]),
        tf.tensor1d([1, 3]),
        tf.tensor2d([[1, 2]]),
        tf.tensor1d([1, 2], 'int32'),
        tf.tensor1d(['a', 'b']),
        tf.zeros([100, 100]),
      ].map((tensor) => configHash({ tensor })),
    );
    expect(new Set(hashes).size).toBe(hashes.length);
    const disposed = tf.tensor1d([1, 2]);
    disposed.dispose();
    expect(readableConfig(disposed)).toEqual({ $data: 'tensor float32', shape: [2] });
  });

  it('takes layers and optimizers by what they say of themselves, so that equal ones are equal', () => {
    const dense = (units: number) => ({
      layer: layers.layers.dense({ units, name: 'out' }),
      by: tf.train.adam(0.1),
    });
    expect(configHash(dense(3))).toBe(configHash(dense(3)));
    expect(configHash(dense(3))).not.toBe(configHash(dense(4)));
    expect(readableConfig(tf.train.adam(0.5))).toMatchObject({
      $class: 'Adam',
      config: { learningRate: 0.5 },
    });
  });

  it('does not fail on cycles, getters that throw, revoked proxies and what is too deep or too large', () => {
    const cyclic: Record<string, unknown> = { name: 'loop' };
    cyclic.inner = { back: cyclic };
    expect(readableConfig(cyclic)).toEqual({ name: 'loop', inner: { back: { $cycle: 'config' } } });

    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const throwing = {
      get value() {
        throw new Error('no');
      },
    };
    expect(readableConfig({ revoked: revoked.proxy, throwing })).toEqual({
      revoked: { $unreadable: true },
      throwing: { $unreadable: true },
    });

    let deep: object = {};
    for (let i = 0; i < 10_000; i++) deep = { deep };
    let wide: object = {};
    for (let i = 0; i < 17; i++) wide = { left: wide, right: wide };
    for (const config of [deep, wide]) {
      expect(JSON.stringify(readableConfig(config))).toContain('{"$omitted":"Object"}');
    }
  });

  it('writes an object that is used twice in full both times', () => {
    const shared = { units: 3 };
    expect(readableConfig({ a: shared, b: shared })).toEqual({ a: { units: 3 }, b: { units: 3 } });
  });
});

describe('the stored config', () => {
  it('is readable JSON with its keys sorted', () => {
    const config = {
      seed: 1,
      loss: function mse() {},
      schedule: new Schedule(5),
      clip: Number.POSITIVE_INFINITY,
    };
    expect(JSON.stringify(readableConfig(config))).toBe(
      '{"clip":{"$number":"Infinity"},"loss":{"$function":"mse"},"schedule":{"$class":"Schedule","warmup":5},"seed":1}',
    );
  });

  it('holds no secret, by the name of its key, anywhere', () => {
    const config = {
      hooks: {
        notify: { webhookUrl: 'https://x.example/hush', nested: [{ API_KEY: 'hush', 'api-key': 'hush' }] },
      },
      password: 12345,
      wandb: new Map([['authToken', 'hush']]),
      clientSecret: { value: 'hush' },
      token: Buffer.from('hush'),
    };
    const text = JSON.stringify(readableConfig(config));
    expect(text).not.toMatch(/hush|12345/);
    expect(text).not.toContain(Buffer.from('hush').toString('hex'));
    expect(text.match(/"\[redacted\]"/g)).toHaveLength(7);
  });

  it.each([
    'https://user:hush@x.example/path',
    'https://hooks.slack.com/services/T0/B0/hush',
    'https://discord.com/api/webhooks/1/hush',
    'https://x.example/?token=hush',
  ])('holds no address that is a secret itself: %s', (url) => {
    expect(readableConfig({ url, list: [url] })).toEqual({ url: '[redacted]', list: ['[redacted]'] });
  });

  it('keeps what only sounds like a secret', () => {
    const config = {
      maxTokens: 512,
      tokenizer: 'bpe',
      secretWeights: false,
      token: null,
      url: 'https://x.example/data',
    };
    expect(readableConfig(config)).toEqual(config);
  });
});
