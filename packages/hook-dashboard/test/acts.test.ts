import { expect, test } from 'vitest';
import { parseAct } from '../src/server/acts.js';

test.each<[string, object]>([
  ['{"verb":"stop"}', { act: { verb: 'stop' }, run: undefined }],
  ['{"verb":"validate","run":"a"}', { act: { verb: 'validate' }, run: 'a' }],
  ['{"verb":"checkpoint","factor":9,"more":1}', { act: { verb: 'checkpoint' }, run: undefined }],
  ['{"verb":"scale-lr","factor":0.5}', { act: { verb: 'scale-lr', factor: 0.5 }, run: undefined }],
  [
    '{"verb":"switch","hook":"a","on":false}',
    { act: { verb: 'switch', hook: 'a', on: false }, run: undefined },
  ],
])('%s is an act', (text, act) => {
  expect(parseAct(text)).toEqual(act);
});

test.each([
  '',
  'stop',
  'null',
  '7',
  '"stop"',
  '[]',
  '[{"verb":"stop"}]',
  '{}',
  '{"verb":"STOP"}',
  '{"verb":"__proto__"}',
  '{"verb":"constructor"}',
  '{"verb":["stop"]}',
  '{"verb":"stop","run":7}',
  '{"verb":"stop","run":null}',
  '{"verb":"scale-lr"}',
  '{"verb":"scale-lr","factor":"2"}',
  '{"verb":"scale-lr","factor":0}',
  '{"verb":"scale-lr","factor":-1}',
  '{"verb":"scale-lr","factor":0.0009}',
  '{"verb":"scale-lr","factor":1001}',
  '{"verb":"scale-lr","factor":1e999}',
  '{"verb":"switch","hook":"a"}',
  '{"verb":"switch","hook":7,"on":true}',
  '{"verb":"switch","hook":"a","on":"yes"}',
])('%s is not', (text) => {
  expect(parseAct(text)).toBeUndefined();
});
