export interface Launcher {
  /** For people. */
  readonly name: string;
  /** How many processes it has started. */
  readonly ranks: number;
}

/** The environment variables in which launchers say how many processes they have started. */
const LAUNCHERS: readonly (readonly [variable: string, name: string])[] = [
  ['OMPI_COMM_WORLD_SIZE', 'mpirun of Open MPI'],
  ['PMI_SIZE', 'mpiexec of MPICH'],
  // Of srun. SLURM_NTASKS is there for a script of sbatch as well, which runs once.
  ['SLURM_STEP_NUM_TASKS', 'srun of Slurm'],
];

/** Who has started this process as one of several; undefined when nobody has. */
export function launchedBy(env: Readonly<Record<string, string | undefined>>): Launcher | undefined {
  for (const [variable, name] of LAUNCHERS) {
    const ranks = Number(env[variable]);
    if (ranks > 1) return { name, ranks };
  }
  return undefined;
}
