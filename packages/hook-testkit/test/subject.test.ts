import { pathToFileURL } from 'node:url';
import type { Hook } from '@hookline/hook-api';
import { errorOf, folderPerTest } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import { Subject, type TestedFactory } from '../src/subject.js';
import { steady, steadyHook, steadyPackage, subjectOf } from './steady.js';

const folder = folderPerTest();

describe('the hooks of a subject', () => {
  test('are new in each call, with the options of the test', () => {
    const subject = subjectOf(steady, { options: { decay: 0 } });
    const [one, two] = [subject.make()[0]!, subject.make()[0]!];
    expect(one).not.toBe(two);
    expect(subject.names).toEqual(['steady']);
  });

  test('are made with options of their own where those are a function', () => {
    const given: object[] = [];
    const factory = ((options: object) => {
      given.push(options);
      return steadyHook();
    }) as TestedFactory<object>;
    const subject = subjectOf(factory, { options: () => ({ list: [] }) });
    subject.make();
    subject.make();
    expect(given).toEqual([{ list: [] }, { list: [] }]);
    expect(given[0]).not.toBe(given[1]);
  });

  test('may be several, and those of a class', () => {
    class Counter implements Hook {
      readonly name = 'counter';
    }
    expect(subjectOf(Counter as never).make()[0]).toBeInstanceOf(Counter);
    expect(subjectOf((() => [{ name: 'a' }, { name: 'b' }]) as never).names).toEqual(['a', 'b']);
  });

  test('have another name as second instances', () => {
    expect(subjectOf(steady).make('-2')[0]!.name).toBe('steady-2');
  });
});

describe('whether it observes', () => {
  const transforms: TestedFactory<object> = () =>
    ({ name: 'scales', transformGradients: () => undefined }) as Hook;

  test('follows from its methods', () => {
    expect(subjectOf(steady).observes).toBe(true);
    expect(subjectOf(transforms).observes).toBe(false);
  });

  test('is what the test says, where it says it', () => {
    expect(subjectOf(steady, { observer: false }).observes).toBe(false);
    expect(subjectOf(transforms, { observer: true }).observes).toBe(true);
  });
});

test('what failed is reported for its hook and the second instance, and for no other', () => {
  const failures = { steady: ['a'], 'steady-2': ['b'], other: ['c'] };
  expect(subjectOf(steady).failures({ failures } as never)).toEqual(['a', 'b']);
});

test('a run with the hook alone is made once, and its hooks can be used again', async () => {
  const subject = subjectOf(steady);
  expect(subject.expected()).toBe(subject.expected());
  const [used] = await subject.used();
  expect((used as unknown as { average: number }).average).toBeGreaterThan(0);
});

describe('its package', () => {
  const surroundings = (file: string) => ({ testFile: () => file, importModule: async () => ({}) });

  test('is the nearest one above the test, or the one that is named by path or address', () => {
    const file = steadyPackage();
    const above = new Subject(steady, {}, surroundings(file.replace('package.json', 'test/deep/a.test.ts')));
    expect(above.package()).toMatchObject({ file, json: { name: 'trainer-hook-steady' } });
    for (const named of [file, pathToFileURL(file), pathToFileURL(file).href]) {
      expect(new Subject(steady, { package: named }, surroundings('/nowhere/a.ts')).package().file).toBe(
        file,
      );
    }
  });

  test('that is not there is an error which says how to name it', async () => {
    const error = await errorOf(() => new Subject(steady, {}, surroundings('/a.test.ts')).package());
    expect(error.code).toBe('PACKAGE_JSON');
    expect(error.message).toMatch(
      /^There is no package\.json above \/a\.test\.ts\. Name it: testHook\(factory, /,
    );
    const missing = new Subject(steady, { package: folder.in('package.json') }, surroundings('/a.test.ts'));
    expect((await errorOf(() => missing.package())).code).toBe('ENOENT');
  });
});
