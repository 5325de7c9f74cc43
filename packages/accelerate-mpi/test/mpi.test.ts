import { expect, test } from 'vitest';
import { launch, project } from './support/launch.js';
import { launchers } from './support/launchers.js';

test('mpirun -n 2 trains with the same bits in both processes', async ({ skip }) => {
  const [mpi] = launchers();
  if (!mpi) {
    // vitest counts what is skipped, and keeps the reason to itself.
    console.log('skipped: no MPI on this machine. apt-get install openmpi-bin, then npm run distributed');
    return skip();
  }
  const run = await launch(
    project({ strategy: { name: 'accelerate', timeout: 60 }, logs: true }),
    mpi.command(2),
  );
  expect(run.code, run.errors).toBe(0);
  expect(run.ranks).toHaveLength(2);
  expect(run.ranks[1]!.weights).toBe(run.ranks[0]!.weights);
  // Only the main rank prints.
  expect(run.output.match(/epoch\s+3\/3\s+train/g)).toHaveLength(1);
});
