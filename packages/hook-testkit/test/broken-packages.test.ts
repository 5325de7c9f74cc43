import { expect, test } from 'vitest';
import { runChecks } from '../src/check-hook.js';
import { events } from '../src/checks/events.js';
import { manifest } from '../src/checks/manifest.js';
import { options } from '../src/checks/options.js';
import { peerRange } from '../src/checks/peer-range.js';
import { steady, subjectOf } from './steady.js';

interface Broken {
  fault: string;
  /** The only check that finds it. */
  check: string;
  says: RegExp;
  json: object;
}

const named = (hooks: object) => ({ trainerHooks: { schema: 1, hooks } });

const BROKEN: Broken[] = [
  {
    fault: 'a manifest with another name than the hook',
    check: 'manifest',
    says: /the hook's name is "steady", and trainerHooks names "stead"\. Did you mean "stead"\?/,
    json: named({ stead: './index.js' }),
  },
  {
    fault: 'an entry that does not exist',
    check: 'manifest',
    says: /entry is \.\/dist\/main\.js, which does not exist, nor does \.\/src\/main\.ts/,
    json: named({ steady: './dist/main.js' }),
  },
  {
    fault: 'an export that does not exist',
    check: 'manifest',
    says: /\.\/index\.js has no export "defalt"\. Did you mean "default"\?/,
    json: named({ steady: { entry: './index.js', export: 'defalt' } }),
  },
  {
    fault: 'kinds that are not those of its methods',
    check: 'manifest',
    says: /kinds of "steady" is \[forward\], but its methods are of the kinds \[lifecycle\]/,
    json: named({ steady: { entry: './index.js', kinds: ['forward'] } }),
  },
  {
    fault: 'a peer range that leaves out the current api',
    check: 'peer-range',
    says: /needs @hookline\/hook-api \^0\.9\.0, but 1\.\d+\.\d+ is running\. Write "peerDependencies"/,
    json: { peerDependencies: { '@hookline/hook-api': '^0.9.0' } },
  },
  {
    fault: 'no manifest',
    check: 'manifest',
    says: /has no "trainerHooks", so the hook is not found\. Add: .*"steady": "\.\/dist\/index\.js"/,
    json: { trainerHooks: undefined },
  },
  {
    fault: 'no keyword',
    check: 'manifest',
    says: /keywords lacks "trainer-hook"/,
    json: { keywords: ['hooks'] },
  },
  {
    fault: 'a package.json that its exports hide',
    check: 'manifest',
    says: /exports hides package\.json/,
    json: { exports: { '.': './index.js' } },
  },
  {
    fault: 'the api as a dependency',
    check: 'peer-range',
    says: /hook-api is in dependencies\. Make it a peer dependency/,
    json: { dependencies: { '@hookline/hook-api': '^1.0.0' } },
  },
  {
    fault: 'no range of the api',
    check: 'peer-range',
    says: /peerDependencies\["@hookline\/hook-api"\] is missing\. Write/,
    json: { peerDependencies: {} },
  },
];

/** The checks that look at the package; the others do not read it. */
function brokenPackage(json: object) {
  return runChecks(subjectOf(steady, {}, json), [events, manifest, options, peerRange]);
}

test('a package that is as it should be has nothing said about it', async () => {
  expect(await brokenPackage({})).toEqual([]);
});

test.each(BROKEN.map((broken) => [broken.fault, broken.check, broken] as const))(
  '%s is found by the check %s, and by no other',
  async (_fault, _check, { json, check, says }) => {
    const found = await brokenPackage(json);
    expect(found.map((each) => each.check)).toEqual([check]);
    expect(found[0]!.problems.join('\n')).toMatch(says);
  },
);
