import { spawnSync } from 'node:child_process';

/** A way to start several processes with MPI on this machine. */
export interface Launcher {
  readonly name: string;
  /** The command that starts a program `ranks` times. */
  command(ranks: number, ...more: string[]): string[];
}

/** The launchers of this machine. Both can be there, each under its own name. */
export function launchers(): Launcher[] {
  const open = found(['mpirun.openmpi', 'mpirun'], /Open MPI|OpenRTE/);
  const mpich = found(['mpiexec.mpich', 'mpiexec.hydra', 'mpiexec'], /HYDRA|MPICH/);
  return [
    ...(open
      ? [
          {
            name: 'Open MPI',
            command: (ranks: number, ...more: string[]) => [
              ...[open, '--allow-run-as-root', '--oversubscribe', '-n', String(ranks)],
              ...more,
            ],
          },
        ]
      : []),
    ...(mpich
      ? [
          {
            name: 'MPICH',
            command: (ranks: number, ...more: string[]) => [mpich, '-n', String(ranks), ...more],
          },
        ]
      : []),
  ];
}

function found(programs: readonly string[], version: RegExp): string | undefined {
  return programs.find((program) => {
    const { stdout, stderr } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    return version.test(`${stdout}${stderr}`);
  });
}
