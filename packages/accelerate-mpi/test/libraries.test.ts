import { describe, expect, test } from 'vitest';
import { librariesFor } from '../src/libraries.js';

describe('the library of the launcher is tried first', () => {
  test.each([
    ['mpirun of Open MPI', { OMPI_COMM_WORLD_SIZE: '2' }, 'linux', 'libmpi.so.40', 'libmpich.so.12'],
    ['mpiexec of MPICH', { PMI_SIZE: '2' }, 'linux', 'libmpich.so.12', 'libmpi.so.40'],
    ['mpiexec of MPICH on a Mac', { PMI_SIZE: '2' }, 'darwin', 'libmpi.12.dylib', 'libmpi.40.dylib'],
    // Under Slurm both variables can be there: Open MPI sets its own only where it has started the process.
    ['both', { PMI_SIZE: '2', OMPI_COMM_WORLD_SIZE: '2' }, 'linux', 'libmpi.so.40', 'libmpich.so.12'],
    ['nobody', {}, 'linux', 'libmpi.so.40', 'libmpich.so.12'],
  ])('%s', (_launcher, env, platform, first, later) => {
    const libraries = librariesFor(env, platform);
    expect(libraries[0]).toBe(first);
    expect(libraries.indexOf(later)).toBeGreaterThan(0);
  });
});

test('the one that compilers use comes last, whichever it is', () => {
  expect(librariesFor({}, 'linux').at(-1)).toBe('libmpi.so');
});

test('HOOKLINE_MPI names the only one', () => {
  const env = { HOOKLINE_MPI: '/opt/mpi/libmpi.so', PMI_SIZE: '2' };
  expect(librariesFor(env, 'linux')).toEqual(['/opt/mpi/libmpi.so']);
});
