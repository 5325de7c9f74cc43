import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Row, Settings } from './benchmark.js';
import { isWithinBudget } from './benchmark.js';
import { BENCHMARKS } from './benchmarks.js';
import { tableOf } from './table.js';

// A missed budget is not a failure: machines are noisy, and the table says so. A benchmark that breaks is.
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const names = Object.keys(BENCHMARKS).filter((name) => options.only?.includes(name) ?? true);
const unknown = options.only?.find((name) => !(name in BENCHMARKS));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}". There are: ${Object.keys(BENCHMARKS).join(', ')}.`);
  process.exit(2);
}

const machine = `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown processor'}`;
console.log(`${machine}, load ${loadavg()[0]!.toFixed(1)}`);
if (globalThis.gc === undefined)
  console.log('Without --expose-gc garbage of one round is collected in the next.');
const results: Record<string, Row[]> = {};
for (const name of names) {
  const start = performance.now();
  try {
    results[name] = await runBenchmark(name, { quick: options.quick });
    save(); // a run takes long: what is measured is kept, whatever happens to the rest
    console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  } catch (error) {
    // The others have their results all the same.
    console.error(`${name}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

const rows = Object.values(results).flat();
console.log(`\n${tableOf(rows)}\n`);
console.log(summaryOf(rows));
if (options.quick) console.log('This was --quick: too few rounds to judge by.');

function save(): void {
  if (options.json === undefined) return;
  const report = { machine, finished: new Date().toISOString(), quick: options.quick, results };
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
}

/** In a process of its own, with the flags of this one. */
function runBenchmark(name: string, { quick }: Settings): Promise<Row[]> {
  const file = fileURLToPath(new URL('./run-benchmark.js', import.meta.url));
  return new Promise((resolve, reject) => {
    const child = fork(file, [name, quick ? 'quick' : 'full'], { serialization: 'advanced' });
    child.once('message', (message) => resolve(message as Row[]));
    child.once('exit', (code, signal) => reject(new Error(`ended with ${signal ?? code} and no result`)));
  });
}

function summaryOf(all: readonly Row[]): string {
  const judged = all.filter(({ budget }) => budget !== undefined);
  const missed = judged.filter((row) => !isWithinBudget(row));
  if (missed.length === 0) return `All ${judged.length} budgets hold.`;
  return `${judged.length - missed.length} of ${judged.length} budgets hold. Missed:\n${missed.map(({ what }) => `  ${what}`).join('\n')}`;
}
