import { expect, test } from 'vitest';
import { looksLikeHook } from '../src/helpers.js';
import { every, TrainerHook } from '../src/index.js';

class Mine extends TrainerHook {
  readonly name = 'mine';
}

test.each<[string, unknown]>([
  ['an object with a name and an event', { name: 'mine', onStepEnd() {} }],
  ['one with a transform', { name: 'mine', transformLoss: () => undefined }],
  ['one with setup only', { name: 'mine', setup() {} }],
  ['one with a wrapped method', { name: 'mine', onStepEnd: every({ steps: 2 }, () => {}) }],
  ['one with a mistyped event, so that the typo is reported', { name: 'mine', onStepEn() {} }],
  ['an instance of a class, even without methods', new Mine()],
  ['an object without a prototype', Object.assign(Object.create(null), { name: 'mine' })],
])('%s is taken for a hook', (_, value) => {
  expect(looksLikeHook(value)).toBe(true);
});

test.each<[string, unknown]>([
  ['options that have a name', { name: 'run-7', project: 'digits' }],
  ['options with a callback', { name: 'run-7', once() {}, format: () => '' }],
  ['options with a field that is named like an event', { name: 'run-7', onStepEnd: true }],
  ['options without a name', { onStepEnd() {} }],
  ['a list', ['early-stopping', { patience: 3 }]],
  ['a class', Mine],
  ['a name', 'early-stopping'],
  ['true', true],
  ['null', null],
  ['undefined', undefined],
])('%s is not', (_, value) => {
  expect(looksLikeHook(value)).toBe(false);
});
