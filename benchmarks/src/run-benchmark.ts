import { BENCHMARKS } from './benchmarks.js';

// A process of its own for each benchmark: what one has taught the JIT compiler must not help or harm the next.
const [name, mode] = process.argv.slice(2);
const benchmark = await BENCHMARKS[name!]!();
const rows = await benchmark({ quick: mode === 'quick' });
process.send!(rows, () => process.exit());
