import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-backend-wasm';
import { tmpdir } from 'node:os';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test, vi } from 'vitest';
import { rememberProcess } from '../src/remember-process.js';

test('what a failing test leaves behind is put back for the files after it', async () => {
  await tf.setBackend('cpu');
  process.env.REMEMBERED = 'before';
  const [folder, random, now] = [process.cwd(), Math.random, Date.now()];
  const putBack = rememberProcess();

  await tf.setBackend('wasm');
  Object.assign(process.env, { REMEMBERED: 'after', ADDED: 'yes' });
  vi.stubEnv('STUBBED', 'yes');
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  vi.useFakeTimers({ now: 0 });
  process.chdir(tmpdir());

  await putBack();
  expect(tf.getBackend()).toBe('cpu');
  expect(process.env.REMEMBERED).toBe('before');
  expect(Object.keys(process.env)).not.toEqual(expect.arrayContaining(['ADDED', 'STUBBED']));
  expect(Math.random).toBe(random);
  expect(Date.now()).toBeGreaterThanOrEqual(now);
  expect(process.cwd()).toBe(folder);
  delete process.env.REMEMBERED;
});
