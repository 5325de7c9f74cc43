import { createRequire } from 'node:module';
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import { objectIn, type PackageJson } from './package-json.js';

const HOOK_API = '@hookline/hook-api';

/** The version of hook-api that is running. */
export const HOOK_API_VERSION: string = readHookApiVersion();

/**
 * Compares the range that a plugin declares in its `peerDependencies` with the running hook-api, without importing
 * the plugin. `HOOKLINE_SKIP_PEER_CHECK=1` turns the problem into a warning.
 */
export function checkPeerRange(
  plugin: PackageJson,
  name: string,
  running: string = HOOK_API_VERSION,
): { problem?: string; warning?: string } {
  const range = objectIn(plugin.peerDependencies)[HOOK_API];
  if (typeof range !== 'string') {
    return {
      warning: `does not say which ${HOOK_API} it works with: peerDependencies["${HOOK_API}"] is missing.`,
    };
  }
  if (admits(range, running)) return {};
  const mismatch =
    validRange(range) === null
      ? `peerDependencies["${HOOK_API}"] is ${JSON.stringify(range)}, which is not a version range`
      : `needs ${HOOK_API} ${range}, but ${running} is running`;
  if (process.env.HOOKLINE_SKIP_PEER_CHECK === '1') {
    return { warning: `${mismatch}; used anyway because of HOOKLINE_SKIP_PEER_CHECK=1.` };
  }
  return {
    problem: `${mismatch}. Install a version that fits (npm install ${name}@latest), or use it anyway with HOOKLINE_SKIP_PEER_CHECK=1.`,
  };
}

function admits(range: string, running: string): boolean {
  // A plugin in the user's workspace: only the package manager knows what the range means.
  if (/^(workspace|catalog):/.test(range)) return true;
  // A pre-release counts as the release it leads to, so that plugins can be tried with it.
  const release = running.replace(/[-+].*$/, '');
  return satisfies(running, range) || satisfies(release, range);
}

function readHookApiVersion(): string {
  // `require`, as importing JSON is experimental in Node 20. hook-api exports its package.json.
  const { version } = createRequire(import.meta.url)(`${HOOK_API}/package.json`) as { version: string };
  return version;
}
