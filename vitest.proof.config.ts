import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import tests from './vitest.config.js';

/** The tables of what users get wrong: docs/reliability.md counts them. */
const MISTAKES = 'packages/trainer/test/mistakes/*.test.ts';

// Proofs are tests that take minutes: many processes, many steps, every combination. Tests that try some of their cases
// only (`someOf` of testing/support) try all of them here.
export default defineConfig({
  resolve: tests.resolve ?? {},
  ssr: tests.ssr ?? {},
  test: {
    include: ['{packages,examples}/*/proof/**/*.proof.ts', MISTAKES, ...testsWithMoreCases()],
    testTimeout: 600_000,
    maxWorkers: tests.test?.maxWorkers ?? 1,
    env: { HOOKLINE_EVERY_CASE: '1', NODE_PATH: '' },
  },
});

function testsWithMoreCases(): string[] {
  const folders = ['packages', 'examples'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder)).map((name) => join(folder, name, 'test')),
  );
  return [...folders, join('scripts', 'test')]
    .flatMap(filesIn)
    .filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('someOf('));
}

function filesIn(folder: string): string[] {
  try {
    const names = readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.endsWith('.test.ts')).map((name) => join(folder, name));
  } catch {
    return []; // it has no tests
  }
}
