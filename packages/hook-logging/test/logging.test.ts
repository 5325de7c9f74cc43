import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { consoleLog, jsonLog, logging } from '../src/index.js';

const names = (options?: Parameters<typeof logging>[0]) => logging(options).map(({ name }) => name);

test('logging() makes all backends, or those that are named', () => {
  expect(names()).toEqual(['console-log', 'json-log']);
  expect(names({ backends: ['json-log'] })).toEqual(['json-log']);
  expect(names({ backends: { 'console-log': { every: 5 }, 'json-log': true } })).toEqual([
    'console-log',
    'json-log',
  ]);
  expect(names({ backends: { 'console-log': false, 'json-log': { every: 5 } } })).toEqual(['json-log']);
});

test('an unknown backend is reported with the nearest name, and options go to their backend', () => {
  expect(() => logging({ backends: ['jsonlog' as never] })).toThrow(
    /no backend "jsonlog".*Did you mean "json-log"\?/,
  );
  expect(() => logging({ backends: { 'console-log': { every: -1 } } })).toThrow(
    /Hook "console-log".*"every"/s,
  );
  expect(() => logging({ backend: ['json-log'] } as never)).toThrow(/Did you mean "backends"\?/);
});

test('every hook of the manifest is exported under its name', async () => {
  const { trainerHooks } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  expect(Object.keys(trainerHooks.hooks)).toEqual(['console-log', 'json-log']);
  const factories = { consoleLog, jsonLog };
  for (const [name, entry] of Object.entries<{ export: keyof typeof factories }>(trainerHooks.hooks)) {
    expect(factories[entry.export]().name).toBe(name);
    expect(factories[entry.export].options['~standard'].version).toBe(1);
  }
});
