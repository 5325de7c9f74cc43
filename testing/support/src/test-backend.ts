/**
 * What `HOOKLINE_TEST_BACKEND` names: `npm run native` and `npm run webgpu` run tests on another backend than the one they take by
 * themselves. The setup of the tests has made it the active one.
 */
const named: string | undefined = process.env.HOOKLINE_TEST_BACKEND;

const BACKENDS: Readonly<Record<string, string>> = {
  'tfjs-node': 'tensorflow',
  'tfjs-node-gpu': 'tensorflow',
  webgpu: 'webgpu',
};

/** The tfjs backend for tests that do not depend on one: cpu, or what `HOOKLINE_TEST_BACKEND` names. */
export const TEST_BACKEND: string = named === undefined ? 'cpu' : (BACKENDS[named] ?? named);

/** The backends for tests of what has to hold on each: cpu and wasm, or the one that `HOOKLINE_TEST_BACKEND` names. */
export const TEST_BACKENDS: readonly string[] = named === undefined ? ['cpu', 'wasm'] : [TEST_BACKEND];
