import { expect, test } from 'vitest';
import { runChecks } from '../src/check-hook.js';
import { packed } from '../src/checks/packed.js';
import { Subject } from '../src/subject.js';
import { steady, steadyPackage } from './steady.js';

const problemsOf = async (json: object) => {
  const file = steadyPackage(json);
  const surroundings = { testFile: () => file, importModule: (path: string) => import(path) };
  const found = await runChecks(new Subject(steady, { packed: true }, surroundings), [packed]);
  return found.flatMap(({ problems }) => problems);
};

test('a packed and installed package is found, and its hook is loaded', async () => {
  expect(await problemsOf({ files: ['index.js'] })).toEqual([]);
});

test('a package that does not ship its entry is found out', async () => {
  const [problem] = await problemsOf({
    main: './other.js',
    files: ['dist'],
    exports: { './package.json': './package.json' },
  });
  expect(problem).toMatch(
    /index\.js\): there is no such file.*does "files" in package\.json name what is built/s,
  );
});
