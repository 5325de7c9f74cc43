import { createInterface } from 'node:readline/promises';
import { messageOf } from '@hookline/hook-api/helpers';
import { locateNative, probeNative } from '#host';
import { type BuildStep, planBuild } from './plan-build.js';

const PACKAGES = ['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node'] as const;

/**
 * Builds the addon of the native packages that the project has and that do not work, after asking. Returns the exit code: 1
 * where one does not work in the end.
 */
export async function fixNative(
  root: string,
  agreed: boolean,
  write: (text: string) => void,
): Promise<number> {
  const installed = PACKAGES.filter((name) => 'file' in locateNative(name, root));
  if (installed.length === 0) {
    write(
      'Neither @tensorflow/tfjs-node-gpu nor @tensorflow/tfjs-node is installed. Install one without its install script, then ask again:\n' +
        '  npm install --ignore-scripts @tensorflow/tfjs-node && npx hookline doctor --fix\n',
    );
    return 1;
  }
  let code = 0;
  for (const name of installed) code = Math.max(code, await fixPackage(name, root, agreed, write));
  return code;
}

async function fixPackage(
  name: string,
  root: string,
  agreed: boolean,
  write: (text: string) => void,
): Promise<number> {
  const problem = await problemOf(name, root);
  if (problem === undefined) {
    write(`${name} works: nothing to do.\n`);
    return 0;
  }
  write(`${name} is ${problem}\n`);
  const plan = planBuild(name, root);
  if ('problem' in plan) {
    write(`It cannot be built here: ${plan.problem.what}.\n  ${plan.problem.fix}\n`);
    return 1;
  }
  write(`To build it:\n${plan.steps.map(describe).join('')}`);
  if (!agreed && !(await asked(write))) return 1;
  try {
    for (const step of plan.steps) {
      write(`${step.does} ...\n`);
      await step.run();
    }
  } catch (error) {
    write(`${messageOf(error)}\n`);
    return 1;
  }
  const left = await problemOf(name, root);
  write(left === undefined ? `${name} works.\n` : `It was built, but is ${left}\n`);
  return left === undefined ? 0 : 1;
}

async function problemOf(name: string, root: string): Promise<string | undefined> {
  const located = locateNative(name, root);
  if ('problem' in located) return located.problem.what;
  const verdict = await probeNative(name, located.file, true);
  return 'what' in verdict ? verdict.what : undefined;
}

function describe({ does, command }: BuildStep, index: number): string {
  return `  ${index + 1}. ${does}\n${command === undefined ? '' : `     ${command}\n`}`;
}

async function asked(write: (text: string) => void): Promise<boolean> {
  if (!process.stdin.isTTY) {
    write(
      'Nothing was done: the question needs a terminal. To agree in advance: npx hookline doctor --fix --yes\n',
    );
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Do this? [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
