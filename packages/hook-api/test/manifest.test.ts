import { expect, test } from 'vitest';
import { validateManifest } from '../src/manifest.js';

const validate = (hooks: unknown) => validateManifest({ schema: 1, hooks }, 'trainer-hook-x');

test('fills in every default of a valid manifest', () => {
  const report = validateManifest(
    {
      schema: 1,
      hooks: {
        ema: './dist/index.js',
        'ema-log': { entry: './dist/log.js', export: 'emaLog', description: 'Logs it', autoload: false },
      },
    },
    'trainer-hook-ema',
  );
  expect(report).toEqual({
    hooks: [
      { name: 'ema', entry: './dist/index.js', export: 'default', description: '', autoload: true },
      { name: 'ema-log', entry: './dist/log.js', export: 'emaLog', description: 'Logs it', autoload: false },
    ],
    problems: [],
    warnings: [],
  });
});

test('says what a hook does, for lists of hooks that are not loaded', () => {
  const { hooks, problems } = validate({
    ema: { entry: './ema.js', kinds: ['update', 'lifecycle'] },
    plain: './plain.js',
  });
  expect(problems).toEqual([]);
  expect(hooks.map(({ kinds }) => kinds)).toEqual([['update', 'lifecycle'], undefined]);
});

test.each([
  [['updat'], '.kinds[0]', '"lifecycle", "forward", "update", got "updat". Did you mean "update"?'],
  [['forward', 3], '.kinds[1]', 'expected one of "lifecycle", "forward", "update", got 3'],
  ['update', '.kinds', 'expected a list of "lifecycle", "forward", "update", got "update"'],
])('refuses the kinds %j', (kinds, place, message) => {
  const { hooks, problems } = validate({ ema: { entry: './ema.js', kinds } });
  expect(problems).toEqual([
    { path: `trainerHooks.hooks["ema"]${place}`, message: expect.stringContaining(message) },
  ]);
  expect(hooks).toEqual([]);
});

test.each([
  ['trainer-hook-ema', 'ema'],
  ['@acme/trainer-hook-ema', 'ema'],
  ['@hookline/hook-early-stopping', 'early-stopping'],
  ['@acme/ema', 'ema'],
  ['hookworm', 'hookworm'],
])('a path alone is one hook named after the package: %s gives %s', (packageName, hook) => {
  const { hooks, problems } = validateManifest('./index.js', packageName);
  expect(problems).toEqual([]);
  expect(hooks).toEqual([
    { name: hook, entry: './index.js', export: 'default', description: '', autoload: true },
  ]);
});

test('reports every problem at once, each with its path', () => {
  const { hooks, problems } = validate({
    'early-stopping': { entry: 'dist/index.js', export: 1, autoload: 'yes' },
    Bad_Name: './index.js',
    empty: {},
    number: 3,
    fine: './fine.js',
  });
  expect(problems.map(({ path }) => path)).toEqual([
    'trainerHooks.hooks["early-stopping"].entry',
    'trainerHooks.hooks["early-stopping"].export',
    'trainerHooks.hooks["early-stopping"].autoload',
    'trainerHooks.hooks["Bad_Name"]',
    'trainerHooks.hooks["empty"].entry',
    'trainerHooks.hooks["number"]',
  ]);
  expect(problems[0]?.message).toContain('got "dist/index.js"');
  expect(problems[2]?.message).toBe('expected a boolean, got "yes"');
  expect(problems[3]?.message).toBe('expected a hook name such as "my-hook", got "Bad_Name"');
  expect(problems[4]?.message).toContain('got undefined');
  expect(problems[5]?.message).toContain('got 3');
  expect(hooks.map(({ name }) => name)).toEqual(['fine']);
});

test.each(['index.js', '/etc/passwd', '../other/index.js', './a/../../b.js', './a\\..\\..\\b.js', './', ''])(
  'refuses the path %j, which does not stay in the package',
  (path) => {
    expect(validate({ x: path }).problems.map((problem) => problem.path)).toEqual([
      'trainerHooks.hooks["x"]',
    ]);
    expect(validateManifest(path, 'x').problems.map((problem) => problem.path)).toEqual(['trainerHooks']);
  },
);

test('a file name may hold two dots', () => {
  expect(validate({ x: './a..b.js' }).problems).toEqual([]);
});

test.each(['toString', 'x_y', '-x', 'x-', 'x--y', '1x', '', '__proto__'])(
  '%j is not the name of a hook',
  (name) => {
    const hooks = JSON.parse(`{ ${JSON.stringify(name)}: "./index.js" }`);
    expect(validate(hooks).problems).toHaveLength(1);
  },
);

test('warns of unknown keys with the nearest known one, and takes the rest', () => {
  const report = validateManifest(
    { schema: 1, hooks: { x: { entry: './x.js', autolod: true } }, hook: {} },
    'trainer-hook-x',
  );
  expect(report.warnings).toEqual([
    { path: 'trainerHooks.hook', message: 'unknown key. Did you mean "hooks"?' },
    { path: 'trainerHooks.hooks["x"].autolod', message: 'unknown key. Did you mean "autoload"?' },
  ]);
  expect(report.problems).toEqual([]);
  expect(report.hooks).toHaveLength(1);
});

test('a schema of the future is refused with an explanation and judged no further', () => {
  const { problems, warnings } = validateManifest({ schema: 2, plugins: [] }, 'x');
  expect(problems).toEqual([
    {
      path: 'trainerHooks.schema',
      message: 'expected 1 (a later schema needs a newer @hookline/trainer), got 2',
    },
  ]);
  expect(warnings).toEqual([]);
});

test.each([
  [null, 'trainerHooks'],
  [[], 'trainerHooks'],
  [true, 'trainerHooks'],
  [{}, 'trainerHooks.schema'],
  [{ schema: 1 }, 'trainerHooks.hooks'],
  [{ schema: 1, hooks: {} }, 'trainerHooks.hooks'],
  [{ schema: 1, hooks: ['./x.js'] }, 'trainerHooks.hooks'],
])('%j is refused at %s', (field, path) => {
  const { hooks, problems } = validateManifest(field, 'x');
  expect(problems.map((problem) => problem.path)).toEqual([path]);
  expect(hooks).toEqual([]);
});
