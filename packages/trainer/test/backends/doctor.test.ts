import { expect, it } from 'vitest';
import { runIsolated } from './isolated.js';
import { crashes, nativeProject, working } from './native-project.js';

interface Diagnosis {
  text: string;
  active: string;
}

function diagnose(root: string): Promise<{ value: Diagnosis; output: string }> {
  return runIsolated<Diagnosis>(
    `import * as tf from '@tensorflow/tfjs-core';
     import { explainBackends } from './src/backends/doctor.ts';
     await tf.setBackend('wasm');
     report({ text: await explainBackends(args[0]), active: tf.getBackend() });`,
    root,
  );
}

it('says what is taken without native packages, and how to get the better ones', async () => {
  await using project = await nativeProject();
  const { value, output } = await diagnose(project.root);
  expect(value.text).toContain(`Backends for ${project.root} (Node ${process.version}`);
  expect(value.text).toMatch(/tfjs-node +not installed\n +npm install @tensorflow\/tfjs-node;/);
  expect(value.text).toMatch(
    /wasm +works on the cpu, with(out)? native kernels.*\n +cpu +works on the cpu\n +webgpu +not installed/,
  );
  expect(value.text).toContain("A run with backend: 'auto' takes wasm.");
  expect(value.active).toBe('wasm');
  expect(output).toBe('');
});

it('survives a native package that crashes its process, and judges each package for itself', async () => {
  await using project = await nativeProject({
    '@tensorflow/tfjs-node-gpu': crashes,
    '@tensorflow/tfjs-node': working,
  });
  const { value } = await diagnose(project.root);
  expect(value.text).toMatch(
    /tfjs-node-gpu +installed, but not working: it crashes its process \(SIGKILL\)\n.*doctor --fix/,
  );
  expect(value.text).toMatch(
    /tfjs-node +works on the cpu, starts in [\d.]+ s; it computes on the CPU, where wasm is 2 to 20 times as fast\. backend: 'tfjs-node' takes it/,
  );
  expect(value.text).toContain("A run with backend: 'auto' takes wasm.");
  expect(value.active).toBe('wasm');
});
