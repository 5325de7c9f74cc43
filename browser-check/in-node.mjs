import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * What a program of src/ prints under Node, as JSON.
 * @param {string} program
 * @param {string[]} args
 */
export function inNode(program, ...args) {
  const script = fileURLToPath(new URL(`src/${program}`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, ...args], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`${program} failed under Node: ${stderr}`);
  // tfjs prints advice about its node backend before.
  return JSON.parse(String(stdout.trim().split('\n').at(-1)));
}
