import { join } from 'node:path';
import { write } from '@hookline/test-support';
import { afterEach, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/load-config.js';
import { CONFIG, configProject } from './config-project.js';

afterEach(() => vi.unstubAllEnvs());

async function problemsOf(config: object, set = {}): Promise<string> {
  const cwd = configProject({ 'hookline.config.json': config });
  return loadConfig({ cwd, set }).then(
    () => 'none',
    (error: Error) => error.message,
  );
}

test('a config is the options of the trainer, the data and the options of fit', async () => {
  const cwd = configProject({ 'hookline.config.json': { ...CONFIG, hooks: { stopper: { patience: 3 } } } });
  const { file, root, config, overrides } = await loadConfig({ cwd });
  expect(file).toBe(join(cwd, 'hookline.config.json'));
  expect(root).toBe(cwd);
  expect(config).toEqual({ ...CONFIG, hooks: { stopper: { patience: 3 } } });
  expect(overrides).toEqual({});
});

test('what is set wins over the environment, which wins over the file', async () => {
  const cwd = configProject({ 'hookline.config.json': CONFIG });
  vi.stubEnv('HOOKLINE_SET', 'fit.epochs=5;seed=5');
  const { config, overrides } = await loadConfig({ cwd, set: { 'fit.epochs': 7 } });
  expect(config).toMatchObject({ seed: 5, fit: { epochs: 7, batchSize: 8 } });
  expect(overrides).toEqual({ 'fit.epochs': 7, seed: 5 });
});

test('every problem is reported at once, with its path and the nearest name', async () => {
  const { data: _data, ...config } = CONFIG;
  const message = await problemsOf({
    ...config,
    model: 'model.js',
    optimiser: 'adam',
    optimizer: { name: 'sgd', lrr: 1 },
    loss: 'meanSquardError',
    seed: 'one',
    epochs: 3,
    fit: { epochs: '3', batchsize: 8, train: [], seed: 3 },
    hooks: { stoper: { patience: 3 } },
  });
  expect(
    message
      .replace(/^\S*hookline-\w+/, '<root>')
      .split('\n')
      .map((line) => line.slice(0, 96)),
  ).toMatchInlineSnapshot(`
    [
      "<root>/hookline.config.json has 12 problems:",
      "  - optimiser: unknown setting. Did you mean "optimizer"?",
      "  - epochs: unknown setting. It belongs to fit: { epochs: ... }.",
      "  - model: is the text "model.js", expected a model, a function that makes one, or its file, suc",
      "  - data: is missing, expected { train, validation?, test? }, a function that loads it, or its f",
      "  - loss: There is no loss "meanSquardError". Did you mean "meanSquaredError"? Known losses: mea",
      "  - optimizer.lrr: unknown option "lrr". Did you mean "lr"?",
      "  - seed: is "one", expected a whole number.",
      "  - fit.batchsize: unknown setting. Did you mean "batchSize"?",
      "  - fit.train: unknown setting. It belongs to data: { train: ... }.",
      "  - fit.seed: unknown setting. It is a setting of its own: seed: ...",
      "  - fit.epochs: is "3", expected a whole number above 0.",
      "  - hooks.stoper: No hook is named "stoper". Did you mean "stopper"? Known: stopper, watcher. Ho",
    ]
  `);
});

test('wrong options of hooks are reported with their paths', async () => {
  const hooks = { stopper: { patience: 'three', patiense: 3 } };
  const expected = [
    /hooks\.stopper\.patience: must be a whole number, got "three"/,
    /hooks\.stopper\.patiense: unknown option "patiense"\. Did you mean "patience"\?/,
  ];
  for (const given of [hooks, [['stopper', hooks.stopper]]]) {
    const message = await problemsOf({ ...CONFIG, hooks: given });
    for (const each of expected) expect(message).toMatch(each);
  }
});

test.each<[string, object, RegExp]>([
  [
    'an unknown hook',
    { 'hooks.stoper.patience': 3 },
    /hooks\.stoper: No hook is named "stoper"\. Did you mean "stopper"\?/,
  ],
  [
    'an unknown option of a hook',
    { 'hooks.stopper.patiense': 3 },
    /hooks\.stopper\.patiense: unknown option "patiense"\. Did you mean "patience"\?/,
  ],
  ['an unknown setting', { optimzer: 'adam' }, /optimzer: unknown setting\. Did you mean "optimizer"\?/],
  ['an unknown setting of fit', { 'fit.epoch': 3 }, /fit\.epoch: unknown setting\. Did you mean "epochs"\?/],
  [
    'an unknown setting of the optimizer',
    { 'optimizer.momentun': 3 },
    /optimizer\.momentun: unknown option "momentun"\. Did you mean "momentum"\?/,
  ],
])('an override of %s is refused with the nearest name', async (_what, set, message) => {
  expect(await problemsOf(CONFIG, set)).toMatch(message);
});

test('keys that reach the prototype are refused, wherever they are', async () => {
  for (const text of [
    '{ "__proto__": { "polluted": true }, "model": "./model.js" }',
    '{ "fit": { "constructor": { "prototype": { "polluted": true } } } }',
    '{ "hooks": { "stopper": { "prototype": 1 } } }',
    '{ "hooks": [["stopper", { "__proto__": { "polluted": true } }]] }',
  ]) {
    const cwd = configProject();
    write(cwd, { 'hookline.config.json': text });
    await expect(loadConfig({ cwd })).rejects.toThrow('this key is refused');
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
  }
});

test('a config that contains itself is checked all the same', async () => {
  const cwd = configProject({
    'hookline.config.mjs': `const config = ${JSON.stringify(CONFIG)}; config.self = config; config.hooks = { self: config }; export default config;`,
  });
  await expect(loadConfig({ cwd })).rejects.toThrow('self: unknown setting.');
});

test.each([
  ['throws', `throw new Error('no GPU');`, 'hookline.config.mjs: importing it failed: no GPU'],
  ['is not JavaScript', 'export default {', 'hookline.config.mjs: importing it failed: '],
  ['imports what is not there', `import './gone.js'; export default {};`, 'gone.js'],
  [
    'exports nothing',
    'const config = {};',
    'it has no default export. Expected: export default defineConfig(',
  ],
  ['exports under a name', 'export const config = {};', 'it has no default export; it exports config.'],
  ['exports a function', 'export default () => ({});', 'its default export is a function'],
  ['exports a promise', 'export default Promise.resolve({});', 'its default export is a promise'],
  ['exports a list', 'export default [];', 'it holds a list, expected an object'],
])('a config file that %s is a clear error', async (_what, code, message) => {
  const cwd = configProject({ 'hookline.config.mjs': code });
  await expect(loadConfig({ cwd })).rejects.toMatchObject({
    code: 'BAD_CONFIG',
    message: expect.stringContaining(message),
  });
});

test('a JSON config that is not JSON, or not an object, is a clear error', async () => {
  for (const [text, message] of [
    ['{ "model": }', 'it is not JSON'],
    ['3', 'it holds 3, expected an object'],
  ] as const) {
    const cwd = configProject();
    write(cwd, { 'hookline.config.json': text });
    await expect(loadConfig({ cwd })).rejects.toThrow(message);
  }
});

test('two installed hooks of one name, one for another api and one that takes a name of ours are reported', async () => {
  const cwd = configProject({ 'hookline.config.json': CONFIG });
  const dependency = (name: string, hook: string, peer = '^1.0.0') =>
    write(join(cwd, 'node_modules', name), {
      'package.json': {
        ...{ name, version: '2.0.0', type: 'module', peerDependencies: { '@hookline/hook-api': peer } },
        trainerHooks: { schema: 1, hooks: { [hook]: './index.js' } },
      },
      'index.js': `export default () => ({ name: '${hook}', onInit() {} });`,
    });
  dependency('trainer-hook-twin', 'stopper');
  dependency('trainer-hook-future', 'future', '^9.0.0');
  dependency('trainer-hook-thief', 'early-stopping');
  const names = ['trainer-hook-stopper', 'trainer-hook-twin', 'trainer-hook-future', 'trainer-hook-thief'];
  write(cwd, {
    'package.json': {
      name: 'p',
      type: 'module',
      dependencies: Object.fromEntries(names.map((name) => [name, '*'])),
    },
  });
  const message = await loadConfig({ cwd }).then(
    () => 'none',
    (error: Error) => error.message,
  );
  expect(message).toMatch(
    /hooks\.trainer-hook-twin: .*claims the hook name "stopper", which belongs to trainer-hook-stopper/,
  );
  expect(message).toMatch(/hooks\.trainer-hook-future: .*needs @hookline\/hook-api \^9\.0\.0, but/);
  expect(message).toMatch(
    /hooks\.trainer-hook-thief: .*"early-stopping", which belongs to @hookline\/hook-early-stopping/,
  );
});
