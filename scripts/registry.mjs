import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeJson } from './packed-project.mjs';
import { npm, root } from './process.mjs';

/** The last one that runs on Node 20. */
const verdaccioVersion = '6.8.0';

/**
 * A registry on this machine, empty but for what it passes on from the registry that npm is configured with.
 * @typedef {object} Registry
 * @property {string} address
 * @property {Record<string, string>} env For npm and pnpm, so that they use it and nothing of the user's.
 * @property {string} npmrc What a project's .npmrc must hold so that pnpm uses it too.
 */

/**
 * Starts a registry, and ends and forgets it after `use`.
 * @param {(registry: Registry) => Promise<void>} use
 */
export async function withRegistry(use) {
  const program = await installVerdaccio();
  const upstream = (await npm(['config', 'get', 'registry'], { capture: true })).trim();
  const folder = mkdtempSync(join(tmpdir(), 'hookline-registry-'));
  const port = await freePort();
  const address = `http://127.0.0.1:${port}/`;
  const config = join(folder, 'config.yaml');
  // JSON is YAML.
  writeJson(config, configuration(folder, upstream));
  const server = spawn(process.execPath, [program, '--config', config, '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-5000);
    });
  }
  try {
    await answers(address, server);
    await use({ address, ...(await signUp(address, folder)) });
  } catch (error) {
    console.error(`The registry's last words:\n${said}`);
    throw error;
  } finally {
    const ended = new Promise((resolve) => server.once('close', resolve));
    if (server.exitCode === null && server.kill()) await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Into its own folder, once: nobody needs its 300 packages to work on this repository. */
async function installVerdaccio() {
  const folder = join(root, 'node_modules', '.hookline', `verdaccio-${verdaccioVersion}`);
  const program = join(folder, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  if (existsSync(program)) return program;
  console.log(`installing verdaccio ${verdaccioVersion}`);
  mkdirSync(folder, { recursive: true });
  writeJson(join(folder, 'package.json'), {
    private: true,
    dependencies: { verdaccio: verdaccioVersion },
    // It asks for a tag of it, which not every registry has.
    overrides: { 'node-fetch': '2.7.0' },
  });
  await npm(['install', '--no-audit', '--no-fund', '--silent'], { cwd: folder });
  return program;
}

/**
 * @param {string} folder
 * @param {string} upstream
 */
function configuration(folder, upstream) {
  const ours = { access: '$all', publish: '$authenticated' };
  return {
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'users'), max_users: 10 } },
    uplinks: { upstream: { url: upstream, timeout: '60s', max_fails: 20 } },
    // What is published here comes from here only, also when the registry of the world has a package of that name.
    packages: {
      '@hookline/*': ours,
      'create-trainer-hook': ours,
      'trainer-hook-*': ours,
      '**': { access: '$all', proxy: 'upstream' },
    },
    max_body_size: '200mb',
    web: { enable: false },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  };
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/**
 * @param {string} address
 * @param {import('node:child_process').ChildProcess} server
 */
async function answers(address, server) {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (server.exitCode !== null) throw new Error(`verdaccio ended with exit code ${server.exitCode}`);
    const answer = await fetch(`${address}-/ping`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`verdaccio does not answer at ${address}`);
}

/**
 * Makes a user who may publish.
 * @param {string} address
 * @param {string} folder
 */
async function signUp(address, folder) {
  const answer = await fetch(`${address}-/user/org.couchdb.user:check`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'check', password: 'only-on-this-machine' }),
  });
  const { token } = /** @type {{ token?: string }} */ (await answer.json());
  if (!token) throw new Error(`verdaccio made no user: ${answer.status}`);
  const npmrc = `registry=${address}\n${address.replace('http:', '')}:_authToken=${token}\n`;
  const userconfig = join(folder, 'npmrc');
  writeFileSync(userconfig, npmrc);
  const env = {
    npm_config_registry: address,
    npm_config_userconfig: userconfig,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
  return { env, npmrc };
}
