import { expect, test } from 'vitest';
import { launchedBy } from '../../src/strategies/launcher.js';

test.each([
  [{ OMPI_COMM_WORLD_SIZE: '4' }, 'mpirun of Open MPI', 4],
  [{ PMI_SIZE: '2' }, 'mpiexec of MPICH', 2],
  [{ SLURM_NTASKS: '512', SLURM_STEP_NUM_TASKS: '512' }, 'srun of Slurm', 512],
  // Within Slurm, mpirun is the one that has started the processes, and perhaps fewer than there are tasks.
  [{ SLURM_STEP_NUM_TASKS: '8', OMPI_COMM_WORLD_SIZE: '4' }, 'mpirun of Open MPI', 4],
])('%j: started by a launcher', (env, name, ranks) => {
  expect(launchedBy(env)).toEqual({ name, ranks });
});

test.each([
  {},
  { OMPI_COMM_WORLD_SIZE: '1' },
  { PMI_SIZE: '' },
  { SLURM_STEP_NUM_TASKS: 'many' },
  { SLURM_NTASKS: '8' },
])('%j: nobody has started more than this process', (env) => {
  expect(launchedBy(env)).toBeUndefined();
});
