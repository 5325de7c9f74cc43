import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { debug } from '../src/index.js';
import { rulesOf } from '../src/options.js';

test('an unknown option is reported with the nearest name', () => {
  expect(() => debug({ shape: true } as never)).toThrow(/unknown option "shape".*Did you mean "shapes"\?/);
});

test('a wrong value is reported with what was expected', () => {
  expect(() => debug({ nan: 'halt' as never, every: 0 })).toThrow(
    /"nan" must be "stop" or "warn" or "break", got "halt"\n.*"every" must be a whole number of at least 1, got 0/,
  );
  expect(() => debug({ shapes: 'all' as never })).toThrow(/"shapes" must be true or false or "every"/);
  expect(() => debug({ activations: 1 as never, bundle: 'yes' as never })).toThrow(
    /"activations".*\n.*"bundle"/,
  );
});

test('the README has every option with its default', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `(\w+)` \| `(.+?)` \|/gm)];
  const defaults = Object.fromEntries(
    rows.map(([, name, value]) => [name, JSON.parse(value!.replaceAll("'", '"'))]),
  );
  expect(defaults).toEqual(rulesOf({}));
});
