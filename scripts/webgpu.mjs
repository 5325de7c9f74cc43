import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root, run, tool } from './process.mjs';

const PACKAGES = ['webgpu@0.6.2', '@tensorflow/tfjs-backend-webgpu@4.22.0', '@tensorflow/tfjs-core@4.22.0'];
const ADAPTER =
  'WebGPU needs a Vulkan driver: a card with one, or libvulkan1 and the software driver in chromium-common';
/** SwiftShader in Debian's package of Chromium. The software driver of Mesa in Debian 12 lacks what WebGPU requires. */
const SWIFTSHADER = join('usr', 'lib', 'chromium', 'vk_swiftshader_icd.json');

/** Outside of the workspace: 130 MB that only this check needs. */
const folder = join(root, 'node_modules', '.cache', 'hookline-webgpu');

/**
 * Trains the zoo on WebGPU in Node: on the driver of this machine, or on the software driver in Debian's package of
 * Chromium. Where that is not installed, it is fetched and unpacked only.
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
  const installed = { VK_DRIVER_FILES: join('/', SWIFTSHADER) };
  if (await hasAdapter(installed)) return installed;
  const fetched = await softwareDriver().catch(() => undefined);
  const env = fetched && { VK_DRIVER_FILES: fetched };
  return env && (await hasAdapter(env)) ? env : undefined;
}

/** @returns {Promise<string>} The file that describes the driver to Vulkan. */
async function softwareDriver() {
  const unpacked = join(folder, 'chromium-common');
  const file = join(unpacked, SWIFTSHADER);
  if (existsSync(file)) return file;
  await run('apt-get', ['download', '-qq', 'chromium-common'], { cwd: folder });
  const archive = readdirSync(folder).find((name) => name.startsWith('chromium-common_'));
  await run('dpkg', ['-x', `${archive}`, unpacked], { cwd: folder });
  return file;
}

/**
 * Whether there is an adapter, which is named in the output: a check that ran says on what.
 * @param {Record<string, string>} env
 */
async function hasAdapter(env) {
  const code = `import { create } from 'webgpu';
    const adapter = await create([]).requestAdapter();
    const { vendor, architecture, description } = adapter?.info ?? {};
    process.stdout.write([vendor, architecture, description].filter(Boolean).join(' '));
    process.exit(adapter ? 0 : 1);`;
  const args = ['--input-type=module', '--eval', code];
  try {
    console.log(`[webgpu] on ${await run(process.execPath, args, { cwd: folder, env, capture: true })}`);
    return true;
  } catch {
    return false;
  }
}
