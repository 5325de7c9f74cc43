import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { tempFolder } from '@hookline/test-support';
import { afterEach, expect, test, vi } from 'vitest';
import { fixNative } from '../../src/cli/native-build/fix-native.js';
import { lacksBinary, nativeProject } from '../backends/native-project.js';

const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;

afterEach(() => {
  vi.unstubAllEnvs();
  Object.defineProperty(process, 'stdin', stdin);
});

/** What `doctor --fix` says where only these programs exist, and with what they were called. */
async function fix(programs: string[], { answer, agreed = false }: { answer?: string; agreed?: boolean }) {
  const folder = tempFolder();
  const log = join(folder, 'calls');
  for (const name of programs) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} "$@" >> ${log}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  vi.stubEnv('PATH', folder);
  vi.stubEnv('HOOKLINE_LIBTENSORFLOW', undefined);
  const input = Object.assign(new PassThrough(), { isTTY: answer !== undefined });
  if (answer !== undefined) input.write(`${answer}\n`);
  Object.defineProperty(process, 'stdin', { value: input, configurable: true });
  await using project = await nativeProject({ '@tensorflow/tfjs-node': lacksBinary });
  let said = '';
  const code = await fixNative(project.root, agreed, (text) => {
    said += text;
  });
  const calls = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  // Asking for a version does nothing.
  return { code, said, did: calls.filter((call) => !call.includes('--version')) };
}

const onLinux = test.skipIf(process.platform !== 'linux');

onLinux(
  'where there is nobody to ask, it says what it would do and how to agree, and does nothing',
  async () => {
    const { code, said, did } = await fix(['c++', 'python3', 'npm'], {});
    expect(said).toContain('python3 -m pip install --no-deps');
    expect(said).toContain('compile the addon in');
    expect(said).toContain('npx hookline doctor --fix --yes');
    expect({ code, did }).toEqual({ code: 1, did: [] });
  },
);

onLinux('whoever answers no gets nothing done', async () => {
  const { code, did } = await fix(['c++', 'python3', 'npm'], { answer: 'n' });
  expect({ code, did }).toEqual({ code: 1, did: [] });
});

onLinux.each([
  ['yes is answered', { answer: 'y' }],
  ['it was agreed beforehand', { agreed: true }],
])('where %s, the steps are run, and one that brings nothing is told', async (_when, how) => {
  const { code, said, did } = await fix(['c++', 'python3', 'npm'], how);
  expect(did[0]).toMatch(/^python3 -m pip install --no-deps .*tensorflow-cpu$/);
  expect(said).toContain('has no TensorFlow library with its headers');
  expect(code).toBe(1);
});

onLinux('what is missing for a build is named, with the command that brings it', async () => {
  expect((await fix(['python3'], {})).said).toContain('there is no C++ compiler.\n  apt-get install g++');
  expect((await fix(['c++'], {})).said).toContain('apt-get install python3-pip');
});
