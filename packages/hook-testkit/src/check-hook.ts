import { fileURLToPath } from 'node:url';
import type { Check } from './check.js';
import { CHECKS } from './checks.js';
import type { TestHookOptions } from './options.js';
import { Subject, type TestedFactory } from './subject.js';

export interface BrokenPromise {
  /** The name of the check: `leaks`. */
  check: string;
  promise: string;
  /** What is wrong and how to fix it. */
  problems: string[];
}

/**
 * Checks a hook as `testHook` does, for other test runners: resolves with the promises that it breaks. What cannot be
 * checked because of another broken promise is left out.
 */
export async function checkHook<Options extends object>(
  factory: TestedFactory<Options>,
  options: TestHookOptions<Options> & { package: string | URL },
): Promise<BrokenPromise[]> {
  const subject = new Subject(factory as TestedFactory, options as TestHookOptions, {
    testFile: () => fileURLToPath(String(options.package)),
    importModule: (file) => import(/* @vite-ignore */ file),
  });
  return runChecks(subject, CHECKS);
}

/** Runs them in order; leaves out what does not apply, and what waits for another. */
export async function runChecks(subject: Subject, checks: readonly Check[]): Promise<BrokenPromise[]> {
  const broken: BrokenPromise[] = [];
  for (const check of checks) {
    const found = broken.map((each) => each.check);
    if (waitsFor(check, found) !== undefined || check.applies?.(subject) === false) continue;
    const problems = await check.run(subject);
    if (problems.length > 0) broken.push({ check: check.name, promise: check.promise, problems });
  }
  return broken;
}

/** The broken promise because of which a check would only say the same again. */
export function waitsFor(check: Check, broken: readonly string[]): string | undefined {
  return (check.needs ?? []).find((name) => {
    const needed = CHECKS.find((each) => each.name === name)!;
    return broken.includes(name) || waitsFor(needed, broken) !== undefined;
  });
}
