/** As systems name them: with the version of the interface, which is the same for many years. */
const OPEN_MPI = { linux: ['libmpi.so.40', 'libmpi.so.80'], darwin: ['libmpi.40.dylib'] };
const MPICH = {
  linux: ['libmpich.so.12', 'libmpi.so.12', 'libmpich.so'],
  darwin: ['libmpi.12.dylib', 'libmpich.dylib'],
};
/** Where compilers find one; whichever it is. */
const ANY = {
  linux: ['libmpi.so'],
  darwin: ['libmpi.dylib', '/opt/homebrew/lib/libmpi.dylib', '/usr/local/lib/libmpi.dylib'],
};

/**
 * The names under which to look for an MPI library, the one of the launcher first: a machine may have several, and each
 * works with its own launcher only. `HOOKLINE_MPI` names one.
 */
export function librariesFor(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): readonly string[] {
  if (env.HOOKLINE_MPI) return [env.HOOKLINE_MPI];
  const system = platform === 'darwin' ? 'darwin' : 'linux';
  const isMpich = env.PMI_SIZE !== undefined && env.OMPI_COMM_WORLD_SIZE === undefined;
  const [first, second] = isMpich ? [MPICH, OPEN_MPI] : [OPEN_MPI, MPICH];
  return [...first[system], ...second[system], ...ANY[system]];
}
