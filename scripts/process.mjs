import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] The workspace root when absent.
 * @property {boolean} [capture] Return what the program prints instead of showing it.
 * @property {boolean} [shell]
 * @property {string} [name] For the error message.
 * @property {Record<string, string>} [env] Added to the environment.
 */

/**
 * Runs a program and waits for it; rejects when it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<string>}
 */
export async function run(command, args, options = {}) {
  const { cwd = root, capture = false, shell = false, name = basename(command) } = options;
  // The tools report nothing about the people who use them, and print no notice that they would.
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', ...options.env };
  const child = spawn(command, args, {
    cwd,
    env,
    shell,
    stdio: ['inherit', capture ? 'pipe' : 'inherit', 'inherit'],
  });

  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output += text;
  });

  // Ctrl-C reaches the child too, and a training run then finishes its step and saves: wait for it.
  const wait = () => {};
  const pass = () => child.kill('SIGTERM');
  process.on('SIGINT', wait).on('SIGTERM', pass);
  try {
    await new Promise((resolve, reject) => {
      child.on('error', (error) => reject(new Error(`${name} could not be started: ${error.message}`)));
      child.on('close', (code, signal) => {
        if (code === 0) resolve(undefined);
        else
          reject(
            new Error(`${name} ended with ${signal ?? `exit code ${code}`}${capture ? `\n${output}` : ''}`),
          );
      });
    });
    return output;
  } finally {
    process.off('SIGINT', wait).off('SIGTERM', pass);
  }
}

/**
 * Runs a development tool of the root package. Its JavaScript is started with this Node, because
 * `node_modules/.bin` holds shell scripts on Unix and, on Windows, `.cmd` files that need a shell.
 * @param {string} name
 * @param {string[]} args
 * @param {RunOptions} [options]
 */
export function tool(name, args, options) {
  return run(process.execPath, [binFile(name), ...args], { name, ...options });
}

/**
 * Runs the npm that started us, or else the one on the PATH.
 * @param {string[]} args
 * @param {RunOptions} [options]
 */
export function npm(args, options) {
  const cli = process.env.npm_execpath ?? '';
  if (basename(cli) === 'npm-cli.js')
    return run(process.execPath, [cli, ...args], { name: 'npm', ...options });
  return run('npm', args, { shell: process.platform === 'win32', ...options });
}

/**
 * Runs pnpm, which set-up has put on the PATH.
 * @param {string[]} args
 * @param {RunOptions} [options]
 */
export function pnpm(args, options) {
  return run('pnpm', args, { shell: process.platform === 'win32', ...options });
}

/** @param {string} file */
export function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {string} name */
function binFile(name) {
  for (const dependency of Object.keys(readJson(join(root, 'package.json')).devDependencies)) {
    const folder = join(root, 'node_modules', dependency);
    const { bin } = readJson(join(folder, 'package.json'));
    const file = typeof bin === 'string' ? dependency === name && bin : bin?.[name];
    if (file) return join(folder, file);
  }
  throw new Error(`No devDependency of the root package.json has a program named "${name}".`);
}
