import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { describe, expect, test } from 'vitest';
import { runChecks } from '../../src/check-hook.js';
import { manifest } from '../../src/checks/manifest.js';
import { peerRange } from '../../src/checks/peer-range.js';
import type { TestHookOptions } from '../../src/options.js';
import { Subject, type TestedFactory } from '../../src/subject.js';
import { steady, steadyPackage } from '../steady.js';

interface Given {
  factory?: TestedFactory<object>;
  settings?: TestHookOptions;
  /** What importing a file of the package gives. */
  exports?: Record<string, unknown>;
  /** Files of the package beside those that it has. */
  files?: string[];
}

/** What the check says of a package with this package.json. */
async function said(check: typeof manifest, json: object, given: Given = {}): Promise<string> {
  const { factory = steady, settings = {}, exports, files = [] } = given;
  const file = steadyPackage(json);
  for (const name of files) {
    mkdirSync(dirname(join(dirname(file), name)), { recursive: true });
    writeFileSync(join(dirname(file), name), '');
  }
  const imported: string[] = [];
  const subject = new Subject(factory as TestedFactory, settings, {
    testFile: () => file,
    importModule: async (path) => {
      imported.push(path);
      return exports ?? ((await import(path)) as Record<string, unknown>);
    },
  });
  const found = await runChecks(subject, [check]);
  return found.flatMap(({ problems }) => problems).join('\n');
}

const hooks = (named: object) => ({ trainerHooks: { schema: 1, hooks: named } });
const BUILT = hooks({ steady: './dist/index.js' });

describe('the file of the hook', () => {
  test('is the source before a build: it must export the factory that is tested', async () => {
    const files = ['src/index.ts'];
    expect(await said(manifest, BUILT, { files, exports: { default: steady } })).toBe('');
    expect(await said(manifest, BUILT, { files, exports: { default: () => ({ name: 'steady' }) } })).toMatch(
      /\.\/src\/index\.ts exports another "default"\. Export the factory from it\.$/,
    );
  });

  test('may export the factory under another name, which is then told', async () => {
    const given = { files: ['src/index.ts'], exports: { steadyHook: steady } };
    expect(await said(manifest, BUILT, given)).toBe(
      'trainerHooks.hooks["steady"]: ./src/index.ts has no export "default". Write "export": "steadyHook".',
    );
    const named = hooks({ steady: { entry: './dist/index.js', export: 'steadyHook' } });
    expect(await said(manifest, named, given)).toBe('');
  });

  test('when built, is another copy of the factory: any function will do', async () => {
    const given = { files: ['dist/index.js'] };
    expect(await said(manifest, BUILT, { ...given, exports: { default: () => 1 } })).toBe('');
    expect(await said(manifest, BUILT, { ...given, exports: { default: 5 } })).toContain(
      './dist/index.js exports another "default".',
    );
  });
});

describe('the kinds of the hook', () => {
  const kinds = (...named: string[]) => hooks({ steady: { entry: './index.js', kinds: named } });
  const switched = ((options?: { looks?: boolean }) =>
    ({
      name: 'steady',
      onEpochEnd() {},
      ...(options?.looks && { onForward() {} }),
    }) as Hook) as TestedFactory<object>;

  test('are those of its methods, in any order', async () => {
    const factory = switched;
    const settings = { options: { looks: true } };
    expect(await said(manifest, kinds('lifecycle', 'forward'), { factory, settings })).toBe('');
    expect(await said(manifest, kinds('forward', 'lifecycle'), { factory, settings })).toBe('');
  });

  test('that an option switches on are asked for with that option', async () => {
    const told = await said(manifest, kinds('lifecycle', 'forward'), { factory: switched });
    expect(told).toMatch(/but its methods are of the kinds \[lifecycle\]\. Correct "kinds"\. If an option/);
  });

  test('that are missing are told without that hint', async () => {
    const given = { factory: switched, settings: { options: { looks: true } } };
    expect(await said(manifest, kinds('lifecycle'), given)).toMatch(/Correct "kinds"\.$/);
  });
});

test('one of several hooks of a package is found by its name', async () => {
  expect(await said(manifest, hooks({ other: './other.js', steady: './index.js' }))).toBe('');
});

test.each([
  ['a schema that nobody knows', { trainerHooks: { schema: 9, hooks: { steady: './index.js' } } }, 'schema'],
  ['hooks that are a list', { trainerHooks: { schema: 1, hooks: ['steady'] } }, 'hooks'],
  ['an entry outside the package', hooks({ steady: '../index.js' }), 'steady'],
])('%s is refused with its place', async (_what, json, place) => {
  expect(await said(manifest, json)).toMatch(new RegExp(`package\\.json: trainerHooks.*${place}`));
});

test.each([
  ['^1.0.0', ''],
  ['>=1.0.0 <3', ''],
  ['^2.0.0', 'Write "peerDependencies"'],
])('the range %s of the api', async (range, says) => {
  const told = await said(peerRange, { peerDependencies: { '@hookline/hook-api': range } });
  expect(told === '' ? '' : told).toContain(says);
  expect(told === '').toBe(says === '');
});
