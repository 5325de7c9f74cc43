import { describe, expect, test, vi } from 'vitest';
import { waitsFor } from './check-hook.js';
import { CHECKS } from './checks.js';
import { testkitError } from './errors.js';
import type { TestHookOptions } from './options.js';
import { Subject, type TestedFactory } from './subject.js';

/**
 * Registers one test for each promise that a hook makes to those who install it: call it in a test file of vitest.
 *
 * @example testHook(myHook, { options: { every: 1 } });
 */
export function testHook<Options extends object>(
  factory: TestedFactory<Options>,
  options: TestHookOptions<Options> = {},
): void {
  const subject = new Subject(factory as TestedFactory, options as TestHookOptions, {
    testFile: () => String(expect.getState().testPath),
    importModule: (file) => vi.importActual(file),
  });
  const broken: string[] = [];
  describe(`hook ${nameOf(subject)}`, () => {
    for (const check of CHECKS.filter((each) => applies(each, subject))) {
      test(check.promise, { timeout: 120_000 }, async (context) => {
        const needed = waitsFor(check, broken);
        if (needed !== undefined) context.skip(`first fix what the check "${needed}" found`);
        broken.push(check.name);
        const problems = await check.run(subject);
        if (problems.length > 0) throw testkitError('BROKEN_PROMISE', problems.join('\n'));
        broken.splice(broken.indexOf(check.name), 1);
      });
    }
  });
}

function applies(check: (typeof CHECKS)[number], subject: Subject): boolean {
  try {
    return check.applies?.(subject) ?? true;
  } catch {
    return true; // it cannot be made, which the first test reports
  }
}

function nameOf(subject: Subject): string {
  try {
    return subject.names.join(', ');
  } catch {
    return subject.factory.name;
  }
}
