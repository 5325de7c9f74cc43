import { connect } from '../../src/index.js';

// The same sums as in all-reduce.c, through the thread and the promises that training uses; and what a gather takes.
const [rounds, ...lengths] = process.argv.slice(2).map(Number) as [number, ...number[]];
const ranks = Number(process.env.OMPI_COMM_WORLD_SIZE ?? process.env.PMI_SIZE);
const rank = await connect({ timeout: 60, launcher: { name: 'mpirun', ranks } });

async function measure(name: number | string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await rank.gather('');
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  times.sort((one, other) => one - other);
  if (rank.rank === 0)
    process.stdout.write(`${name} ${times[0]!.toFixed(6)} ${times[rounds >> 1]!.toFixed(6)}\n`);
}

for (const length of lengths) {
  const values = rank.allocate(length);
  await measure(length, () => rank.sum(values));
}
await measure('gather', () => rank.gather('x'.repeat(300)));
