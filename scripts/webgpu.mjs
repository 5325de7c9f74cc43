import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root, run, tool } from './process.mjs';

const PACKAGES = ['webgpu@0.6.2', '@tensorflow/tfjs-backend-webgpu@4.22.0', '@tensorflow/tfjs-core@4.22.0'];
const ADAPTER =
  'WebGPU needs a Vulkan driver: a card with one, or libvulkan1 and the software driver in chromium-common';

/** Outside of the workspace: 130 MB that only this check needs. */
const folder = join(root, 'node_modules', '.cache', 'hookline-webgpu');

/**
 * Trains the zoo on WebGPU in Node: on the driver of this machine, or on the software driver in Debian's package of
 * Chromium, which is fetched and unpacked, not installed.
 * @param {string[]} args Passed to vitest.
 */
export async function webgpu(args) {
  const driver = await prepare();
  if (driver === undefined) {
    console.log(`webgpu: not available here (${ADAPTER})`);
    return;
  }
  const env = { ...driver, HOOKLINE_TEST_BACKEND: 'webgpu', HOOKLINE_TEST_PROJECT: folder };
  await tool('vitest', ['run', '--config', 'vitest.backend.config.ts', '--reporter=dot', ...args], { env });
}

/** @returns {Promise<Record<string, string> | undefined>} The environment with which there is an adapter. */
async function prepare() {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "hookline-webgpu", "private": true }\n');
  if (!existsSync(join(folder, 'node_modules', 'webgpu', 'package.json'))) {
    await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES], { cwd: folder });
  }
  if (await hasAdapter({})) return {};
  const icd = await softwareDriver().catch(() => undefined);
  const env = icd && { VK_DRIVER_FILES: icd };
  return env && (await hasAdapter(env)) ? env : undefined;
}

/** @returns {Promise<string>} The file that describes SwiftShader to Vulkan. */
async function softwareDriver() {
  const unpacked = join(folder, 'chromium-common');
  const file = join(unpacked, 'usr', 'lib', 'chromium', 'vk_swiftshader_icd.json');
  if (existsSync(file)) return file;
  await run('apt-get', ['download', '-qq', 'chromium-common'], { cwd: folder });
  const archive = readdirSync(folder).find((name) => name.startsWith('chromium-common_'));
  await run('dpkg', ['-x', `${archive}`, unpacked], { cwd: folder });
  return file;
}

/** @param {Record<string, string>} env */
async function hasAdapter(env) {
  const code = `import { create } from 'webgpu';
    const adapter = await create([]).requestAdapter();
    process.exit(adapter ? 0 : 1);`;
  return run(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: folder,
    env,
    capture: true,
  }).then(
    () => true,
    () => false,
  );
}
