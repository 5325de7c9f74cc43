import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Benchmark, roundsFor } from './benchmark.js';
import { spreadOf } from './statistics.js';

const PACKAGES = { '@hookline/trainer': 400, '@tensorflow/tfjs-core': undefined } as const;

/** The processor time that importing a package takes, each time in a process of its own. */
export const trainerImport: Benchmark = async (settings) =>
  Object.entries(PACKAGES).map(([name, budget]) => {
    const times = Array.from({ length: Math.ceil(roundsFor(settings) / 2) }, () => importTime(name));
    return {
      what: `import of ${name}, milliseconds of processor time`,
      count: Math.round(spreadOf(times).median),
      ...(budget !== undefined && { budget }),
      note: `${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms`,
    };
  });

function importTime(name: string): number {
  const code = `
    const before = process.cpuUsage();
    await import('${import.meta.resolve(name)}');
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1000);`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd, encoding: 'utf8' }),
  );
}
