import { expect, test } from 'vitest';
import { launch, project } from './support/launch.js';
import { launchers } from './support/launchers.js';

test('mpirun -n 2 trains with the same bits in both processes', async ({ skip }) => {
  const [mpi] = launchers();
  if (!mpi) return skip('no MPI on this machine; npm run distributed has the tests that need one');
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
