import { readFile } from 'node:fs/promises';
import { kindsOf } from '@hookline/hook-api';
import { expect, test } from 'vitest';
import { consoleLog, csvLog, jsonLog, logging, mlflow, tensorboard, wandb } from '../src/index.js';

const names = (options?: Parameters<typeof logging>[0]) => logging(options).map(({ name }) => name);

test('logging() makes the two that load by themselves, or those that are named', () => {
  expect(names()).toEqual(['console-log', 'json-log']);
  expect(names({ backends: ['json-log'] })).toEqual(['json-log']);
  expect(names({ backends: ['csv-log', 'tensorboard', 'wandb', 'mlflow'] })).toEqual([
    'csv-log',
    'tensorboard',
    'wandb',
    'mlflow',
  ]);
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
  expect(() => logging({ backends: { jsonlog: false } as never })).toThrow(/no backend "jsonlog"/);
  expect(() => logging({ backends: { 'console-log': { every: -1 } } })).toThrow(
    /Hook "console-log".*"every"/s,
  );
  expect(() => logging({ backend: ['json-log'] } as never)).toThrow(/Did you mean "backends"\?/);
});

test('every hook of the manifest is exported under its name, and is of the kinds that it says', async () => {
  const { trainerHooks } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const factories = { consoleLog, jsonLog, csvLog, tensorboard, wandb, mlflow };
  expect(Object.keys(trainerHooks.hooks)).toHaveLength(Object.keys(factories).length);
  for (const [name, entry] of Object.entries<{ export: keyof typeof factories; kinds: string[] }>(
    trainerHooks.hooks,
  )) {
    const hook = factories[entry.export]();
    expect(hook.name).toBe(name);
    expect(kindsOf(hook)).toEqual(entry.kinds);
    expect(factories[entry.export].options['~standard'].version).toBe(1);
  }
});

test('installing the package switches on what prints and what writes into the run folder, and no more', async () => {
  const { trainerHooks } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const loaded = Object.entries<{ autoload?: boolean }>(trainerHooks.hooks).filter(
    ([, { autoload }]) => autoload !== false,
  );
  expect(loaded.map(([name]) => name)).toEqual(['console-log', 'json-log']);
});
