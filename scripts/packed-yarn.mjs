import { join } from 'node:path';
import { writeJson } from './packed-project.mjs';
import { npm, readJson } from './process.mjs';

/**
 * Yarn as it is by default: Plug'n'Play, so packages stay in zip files and see only what they declare.
 * @type {import('./packed-project.mjs').Manager}
 */
export const yarnManager = {
  async install(project, tarballs) {
    const file = join(project, 'package.json');
    const { overrides, ...manifest } = readJson(file);
    const resolutions = Object.fromEntries([...tarballs].map(([name, tarball]) => [name, `file:${tarball}`]));
    // npm installs the peer dependencies of hooks by itself. Yarn only warns when a project does not list them.
    const peers = { '@hookline/hook-api': resolutions['@hookline/hook-api'] };
    writeJson(file, { ...manifest, dependencies: { ...manifest.dependencies, ...peers }, resolutions });
    await yarn(project, ['install']);
  },
  node: (project, args) => yarn(project, ['node', ...args]),
  hookline: (project, args) => yarn(project, ['run', 'hookline', ...args]),
};

/** Whether npm can fetch Yarn. If not, that is a failure in CI; elsewhere it is named. */
export async function canFetchYarn() {
  try {
    await npm([...exec, '--version'], { capture: true });
    return true;
  } catch (error) {
    if (process.env.CI) throw error;
    console.log('Yarn: not tried, npm cannot fetch it here');
    return false;
  }
}

/** What Yarn passes to Node in NODE_OPTIONS, for a Node that is started without Yarn. @param {string} project */
export async function nodeOptions(project) {
  const printed = await yarn(project, ['node', '--print', 'process.env.NODE_OPTIONS']);
  return String(printed.trim().split('\n').at(-1));
}

const exec = ['exec', '--yes', '--package=@yarnpkg/cli-dist@4', '--', 'yarn'];

/**
 * @param {string} project
 * @param {string[]} args
 */
async function yarn(project, args) {
  const registry = (await npm(['config', 'get', 'registry'], { capture: true })).trim();
  // Everything that Yarn keeps stays in the project, which is removed in the end.
  const env = {
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname,
    YARN_GLOBAL_FOLDER: join(project, '.yarn', 'global'),
    YARN_ENABLE_GLOBAL_CACHE: 'false',
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    YARN_ENABLE_TELEMETRY: 'false',
  };
  return npm([...exec, ...args], { cwd: project, capture: true, env });
}
