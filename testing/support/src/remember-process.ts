import * as tf from '@tensorflow/tfjs-core';
import { vi } from 'vitest';

/** Notes what test files share. The returned function puts it back: timers, mocks, environment, folder and backend. */
export function rememberProcess(): () => Promise<void> {
  const env = { ...process.env };
  const folder = process.cwd();
  const backend = tf.getBackend();
  return async () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    if (process.cwd() !== folder) process.chdir(folder);
    if (backend && tf.getBackend() !== backend) await tf.setBackend(backend);
  };
}
