import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Benchmark, roundsFor } from './benchmark.js';
import { ratioOf, type Times } from './paired.js';

const REPEATS = 3;

/**
 * Importing hook-api against importing an empty file, alone and as part of a process that does nothing else. A module
 * is loaded once in a process, so every import has one of its own.
 */
export const importTime: Benchmark = async (settings) => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  try {
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return pathToFileURL(join(folder, name)).href;
    };
    file('time-import.mjs', TIME_IMPORT);
    const script = join(folder, 'time-import.mjs');
    const first = file('first.mjs', 'export {};\n');
    const subject = import.meta.resolve('@hookline/hook-api');
    const reference = file('empty.mjs', 'export {};\n');

    const alone: Times<'subject' | 'reference'> = { subject: [], reference: [] };
    const whole: Times<'subject' | 'reference'> = { subject: [], reference: [] };
    for (let round = 0; round < roundsFor(settings); round++) {
      for (const [name, url] of Object.entries({ subject, reference }) as ['subject', string][]) {
        const runs = Array.from({ length: REPEATS }, () => timeImport(script, first, url));
        alone[name].push(Math.min(...runs.map((run) => run.alone)));
        whole[name].push(Math.min(...runs.map((run) => run.process)));
      }
    }
    return [
      {
        what: 'import of hook-api / of an empty module',
        ratio: ratioOf(alone, 'subject', 'reference'),
        budget: 2,
        note: milliseconds(alone),
      },
      {
        what: 'process that imports hook-api / an empty module',
        ratio: ratioOf(whole, 'subject', 'reference'),
        note: milliseconds(whole),
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** The first import pays for what Node sets up for all; it is not counted. */
const TIME_IMPORT = `
const [first, url] = process.argv.slice(2);
await import(first);
const start = process.cpuUsage();
await import(url);
const { user, system } = process.cpuUsage(start);
const total = process.cpuUsage();
console.log(JSON.stringify({ alone: (user + system) / 1000, process: (total.user + total.system) / 1000 }));
`;

function timeImport(script: string, first: string, url: string): { alone: number; process: number } {
  return JSON.parse(execFileSync(process.execPath, [script, first, url], { encoding: 'utf8' }));
}

function milliseconds({ subject, reference }: Times<'subject' | 'reference'>): string {
  return `${Math.min(...subject).toFixed(2)} / ${Math.min(...reference).toFixed(2)} ms`;
}
