import { defineOptions, type Hook, is } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { options } from '../../src/checks/options.js';
import { saidBy, schema, steady, steadyHook } from '../steady.js';

type Validate = (value: unknown) => { value: unknown } | { issues: { message: string }[] };
const withSchema = (validate: unknown) =>
  Object.assign(() => steadyHook(), {
    options: { '~standard': { ...schema['~standard'], validate } },
  }) as never;

test('a factory with strict options and defaults, and one without options, are in order', async () => {
  expect(await saidBy(options, steady)).toBe('');
  expect(await saidBy(options, () => steadyHook())).toBe('');
});

test('a class is made with new', async () => {
  class Quiet implements Hook {
    static readonly options = defineOptions<{ level?: number }>('quiet', { level: is.number() });
    readonly name = 'quiet';
    constructor(readonly settings: { level?: number } = {}) {}
  }
  expect(await saidBy(options, Quiet as never)).toBe('');
});

test('a schema that answers later is waited for', async () => {
  const later: Validate = (value) =>
    Object.keys(Object(value)).length > 0 ? { issues: [{ message: 'unknown' }] } : { value };
  expect(
    await saidBy(
      options,
      withSchema(async (value: unknown) => later(value)),
    ),
  ).toBe('');
});

test('a schema that refuses an empty object is quoted: the hook would not start with its defaults', async () => {
  const refuses: Validate = () => ({ issues: [{ message: '"rate" is missing' }] });
  expect(await saidBy(options, withSchema(refuses))).toBe(
    'The schema refuses {}: "rate" is missing. Give every option a default.',
  );
});

test('something else that is called options is not taken for a schema', async () => {
  const factory = Object.assign(() => steadyHook(), { options: { decay: 0.5 } }) as never;
  expect(await saidBy(options, factory)).toMatch(
    /they are not a Standard Schema: .* Make them with defineOptions/,
  );
});

test('both faults of a schema are told at once', async () => {
  const backwards: Validate = (value) =>
    Object.keys(Object(value)).length === 0 ? { issues: [{ message: 'empty' }] } : { value };
  const said = await saidBy(options, withSchema(backwards));
  expect(said).toContain('The schema refuses {}: empty.');
  expect(said).toContain('accepts an option that does not exist');
});
