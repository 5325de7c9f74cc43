import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { locateNative } from '../../src/host/native/locate-native.js';
import { nativeProject, working } from './native-project.js';

const NAME = '@tensorflow/tfjs-node';

it('finds a native package where Node would, also in a folder above the project', async () => {
  await using project = await nativeProject({ [NAME]: working });
  const inner = join(project.root, 'packages/inner');
  await mkdir(inner, { recursive: true });
  for (const root of [project.root, inner]) {
    expect(locateNative(NAME, root)).toEqual({ file: join(project.root, 'node_modules', NAME, 'index.js') });
  }
});

it('tells a package that is not installed from one that has lost its files', async () => {
  await using project = await nativeProject({ [NAME]: working });
  expect(locateNative(`${NAME}-gpu`, project.root)).toMatchObject({ problem: { what: 'not installed' } });
  await rm(join(project.root, 'node_modules', NAME, 'index.js'));
  expect(locateNative(NAME, project.root)).toMatchObject({
    problem: { what: expect.stringMatching(/^installed, but its files cannot be found: /) },
  });
});
