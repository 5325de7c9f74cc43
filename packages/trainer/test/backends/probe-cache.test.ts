import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { locateNative, probeNative } from '#host';
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
