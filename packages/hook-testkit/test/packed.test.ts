import { expect, test } from 'vitest';
import { runChecks } from '../src/check-hook.js';
import { packed } from '../src/checks/packed.js';
import { steady, subjectOf } from './steady.js';

const problemsOf = async (json: object) => {
  const found = await runChecks(subjectOf(steady, { packed: true }, json), [packed]);
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
