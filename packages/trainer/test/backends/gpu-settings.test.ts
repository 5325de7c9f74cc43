import { errorOf, tempFolder } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lateGpuSettings, locateNative, probeNative, setGpuEnvironment } from '#host';
import type { GpuBackendOptions } from '../../src/backends/backend-option.js';
import { selectBackend } from '../../src/backends/select-backend.js';
import { nativeProject, workingOnGpu } from './native-project.js';

const NAME = '@tensorflow/tfjs-node-gpu';
const NAMES = ['CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER', 'TF_FORCE_GPU_ALLOW_GROWTH'] as const;

const environment = () => NAMES.map((name) => process.env[name]);
const select = (settings: Omit<GpuBackendOptions, 'name'>) =>
  selectBackend({ root: tempFolder(), backend: { name: 'tfjs-node-gpu', ...settings } });

beforeEach(() => {
  for (const name of NAMES) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

test('a card is chosen by the number of nvidia-smi, before the package is looked for', async () => {
  expect((await errorOf(select({ gpu: 1 }))).code).toBe('BACKEND_UNAVAILABLE');
  expect(environment()).toEqual(['1', 'PCI_BUS_ID', 'true']);
});

test('memory grows unless the option or the environment says otherwise', () => {
  setGpuEnvironment();
  expect(environment()).toEqual([undefined, undefined, 'true']);
  setGpuEnvironment({ memoryGrowth: false });
  expect(environment()[2]).toBe('false');
  setGpuEnvironment({ gpu: -1 });
  expect(environment()).toEqual(['-1', 'PCI_BUS_ID', 'false']);
});

test('the package sees the settings when it is tried', async () => {
  const told = `binding: { TF_Version: ${JSON.stringify(NAMES)}.map((name) => process.env[name]).join() },`;
  await using project = await nativeProject({
    [NAME]: workingOnGpu.replace('{ firstUse: false,', `{ firstUse: false, ${told}`),
  });
  const { file } = locateNative(NAME, project.root) as { file: string };
  setGpuEnvironment({ gpu: 0 });
  expect(await probeNative(NAME, file)).toMatchObject({ device: 'gpu', library: '0,PCI_BUS_ID,true' });
});

test('settings that come after TensorFlow is loaded are refused, with what to set; those that it has are not', async () => {
  setGpuEnvironment({ gpu: 0 });
  tf.registerBackend('tensorflow', () => tf.findBackend('cpu'));
  const { code, message } = await errorOf(select({ gpu: 2 }));
  tf.removeBackend('tensorflow');
  expect(code).toBe('BACKEND_UNAVAILABLE');
  expect(message).toContain('Start the program with CUDA_VISIBLE_DEVICES=2, or give');
  expect(environment()[0]).toBe('0');
  expect(lateGpuSettings({ gpu: 0, memoryGrowth: true })).toEqual([]);
});
