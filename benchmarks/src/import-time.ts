import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Benchmark, roundsFor } from './benchmark.js';
import { ratioOf, type Times } from './paired.js';

const REPEATS = 3;

const SIDES = { subject: '@hookline/hook-api', reference: '@nobody/empty' } as const;

/**
 * Importing hook-api against importing an empty module, alone and as part of a process that does nothing else. Both are
 * packages in a project's node_modules, so that both are looked for. A module is loaded once in a process, so every
 * import has one of its own.
 */
export const importTime: Benchmark = async (settings) => {
  const project = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  try {
    const script = createProject(project);
    const alone: Times<keyof typeof SIDES> = { subject: [], reference: [] };
    const whole: Times<keyof typeof SIDES> = { subject: [], reference: [] };
    for (let round = 0; round < roundsFor(settings); round++) {
      for (const [side, name] of Object.entries(SIDES) as [keyof typeof SIDES, string][]) {
        const runs = Array.from({ length: REPEATS }, () => timeImport(script, name));
        alone[side].push(Math.min(...runs.map((run) => run.alone)));
        whole[side].push(Math.min(...runs.map((run) => run.process)));
      }
    }
    return [
      {
        what: 'import of hook-api / of an empty package',
        ratio: ratioOf(alone, 'subject', 'reference'),
        budget: 2,
        note: milliseconds(alone),
      },
      {
        what: 'process that imports hook-api / an empty package',
        ratio: ratioOf(whole, 'subject', 'reference'),
        note: milliseconds(whole),
      },
    ];
  } finally {
    rmSync(project, { recursive: true });
  }
};

/** A project with hook-api as it is published, and with a package of the same form that has nothing in it. */
function createProject(folder: string): string {
  const installed = (name: string) => join(folder, 'node_modules', name);
  const source = dirname(fileURLToPath(import.meta.resolve(`${SIDES.subject}/package.json`)));
  for (const part of ['package.json', 'dist']) {
    cpSync(join(source, part), join(installed(SIDES.subject), part), { recursive: true });
  }
  for (const name of [SIDES.reference, FIRST]) {
    mkdirSync(join(installed(name), 'dist'), { recursive: true });
    writeFileSync(join(installed(name), 'dist', 'index.js'), 'export {};\n');
    const exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } };
    writeFileSync(join(installed(name), 'package.json'), JSON.stringify({ name, type: 'module', exports }));
  }
  const script = join(folder, 'time-import.mjs');
  writeFileSync(script, TIME_IMPORT);
  return script;
}

/** The first import pays for what Node sets up for all; it is not counted. */
const FIRST = '@nobody/first';

const TIME_IMPORT = `
await import('${FIRST}');
const start = process.cpuUsage();
await import(process.argv[2]);
const { user, system } = process.cpuUsage(start);
const total = process.cpuUsage();
console.log(JSON.stringify({ alone: (user + system) / 1000, process: (total.user + total.system) / 1000 }));
`;

function timeImport(script: string, name: string): { alone: number; process: number } {
  return JSON.parse(execFileSync(process.execPath, [script, name], { encoding: 'utf8' }));
}

function milliseconds({ subject, reference }: Times<keyof typeof SIDES>): string {
  return `${Math.min(...subject).toFixed(2)} / ${Math.min(...reference).toFixed(2)} ms`;
}
