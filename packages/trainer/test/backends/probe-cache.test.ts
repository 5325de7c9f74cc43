import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { locateNative, probeNative } from '#host';
import { cachedAnswer, keepAnswer } from '../../src/host/native/probe-cache.js';
import { nativeProject, working } from './native-project.js';

const NAME = '@tensorflow/tfjs-node-gpu';
const COUNTING = `require('fs').appendFileSync(require('path').join(__dirname, 'loads'), 'x');${working}`;

test('a package that works is tried once, until it or its addon changes, or somebody asks again', async () => {
  await using project = await nativeProject({ [NAME]: COUNTING });
  const { file } = locateNative(NAME, project.root) as { file: string };
  const loads = () => readFileSync(join(file, '..', 'loads'), 'utf8').length;
  const probe = (fresh?: boolean) => probeNative(NAME, file, fresh);

  const first = await probe();
  expect(first).toMatchObject({ device: 'cpu' });
  expect(await probe()).toEqual(first);
  expect(loads()).toBe(1);
  await probe(true);
  expect(loads()).toBe(2);
  utimesSync(file, 1, 1);
  await probe();
  expect(loads()).toBe(3);
});

test('what did not work is tried again', async () => {
  await using project = await nativeProject({ [NAME]: 'throw new Error("no");' });
  const { file } = locateNative(NAME, project.root) as { file: string };
  expect(await probeNative(NAME, file)).toMatchObject({ what: 'installed, but not working: no' });
  expect(existsSync(join(file, '..', '.hookline-probe.json'))).toBe(false);
});

const version = Object.getOwnPropertyDescriptor(process, 'version')!;
afterEach(() => {
  Object.defineProperty(process, 'version', version);
  vi.unstubAllEnvs();
});

const addonIn = (folder: string) => join(folder, 'lib', 'napi-v8', 'tfjs_binding.node');

/** What makes a known answer worthless, done to the folder of the package. */
const CHANGES: Readonly<Record<string, (folder: string) => void>> = {
  'the package has another version': (folder) =>
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: NAME, version: '4.23.0' })),
  'its addon was built again': (folder) => utimesSync(addonIn(folder), 5, 5),
  'it is another Node': () => Object.defineProperty(process, 'version', { ...version, value: 'v99.0.0' }),
  'other cards are visible': () => vi.stubEnv('CUDA_VISIBLE_DEVICES', '7'),
  'libraries are looked for elsewhere': () => vi.stubEnv('LD_LIBRARY_PATH', '/opt/other/lib'),
};

test.each(Object.keys(CHANGES))('an answer holds until %s', async (change) => {
  await using project = await nativeProject({ [NAME]: working });
  const { file } = locateNative(NAME, project.root) as { file: string };
  mkdirSync(dirname(addonIn(dirname(file))), { recursive: true });
  writeFileSync(addonIn(dirname(file)), '');
  const answer = { device: 'gpu', library: '2.9', seconds: 4 } as const;
  keepAnswer(file, answer);
  expect(cachedAnswer(file)).toEqual(answer);
  CHANGES[change]!(dirname(file));
  expect(cachedAnswer(file)).toBeUndefined();
});
