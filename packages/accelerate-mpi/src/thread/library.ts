import { type LibraryHandle, load } from 'koffi';

/** A handle of MPI: an address in Open MPI, a number in MPICH. */
type Handle = unknown;

/** The functions and constants of an MPI library. */
export interface Mpi {
  /** What the library says it is: `Open MPI v4.1.4, ...`. */
  readonly version: string;
  readonly world: Handle;
  readonly float: Handle;
  readonly byte: Handle;
  readonly add: Handle;
  /** Functions return a code instead of ending the process. */
  readonly errorsReturn: Handle;
  readonly inPlace: unknown;
  readonly anySource: number;
  readonly ignoreStatus: unknown;
  /** Calls a function by its name without `MPI_`; throws unless it returns success. */
  call(name: FunctionName, ...args: unknown[]): void;
}

/** The arguments of the functions that are used: `h` is a handle, `p` a pointer, `i` an int. */
const FUNCTIONS = {
  Init_thread: 'ppip',
  Comm_rank: 'hp',
  Comm_size: 'hp',
  Comm_set_errhandler: 'hh',
  Get_library_version: 'pp',
  Allreduce: 'ppihhh',
  Ibarrier: 'hp',
  Iallgather: 'pihpihhp',
  Ibcast: 'pihihp',
  Test: 'ppp',
  Iprobe: 'iihpp',
  Recv: 'pihiihp',
  Isend: 'pihiihp',
  Abort: 'hi',
  Finalize: '',
} as const;

export type FunctionName = keyof typeof FUNCTIONS;

/** The first library that can be loaded; undefined, with the reasons, when none can. */
export function loadMpi(libraries: readonly string[]): Mpi | { readonly reasons: string[] } {
  const reasons: string[] = [];
  for (const name of libraries) {
    try {
      // Global: Open MPI loads its own plugins, which look for its symbols.
      return bind(load(name, { global: true }));
    } catch (error) {
      reasons.push(`${name}: ${(error as Error).message}`);
    }
  }
  return { reasons };
}

function bind(library: LibraryHandle): Mpi {
  const constants = openMpi(library) ?? MPICH;
  const letters: Record<string, string> = { h: constants.handle, p: 'void *', i: 'int' };
  const functions = Object.fromEntries(
    Object.entries(FUNCTIONS).map(([name, letter]) => [
      name,
      library.func(
        `MPI_${name}`,
        'int',
        Array.from(letter, (each) => letters[each]!),
      ),
    ]),
  );
  const call: Mpi['call'] = (name, ...args) => {
    const code: unknown = functions[name]!(...args);
    if (code !== 0) throw new Error(`MPI_${name} failed with code ${code}`);
  };
  const text = new Uint8Array(8192);
  const length = new Int32Array(32);
  call('Get_library_version', text, length);
  const version = new TextDecoder().decode(text.subarray(0, length[0])).split(/[\n\0]/)[0]!;
  return { ...constants, version, call };
}

type Constants = Omit<Mpi, 'version' | 'call'> & { readonly handle: string };

/** Open MPI: a handle is the address of a symbol. */
function openMpi(library: LibraryHandle): Constants | undefined {
  const symbol = (name: string): unknown => library.symbol(name);
  try {
    symbol('ompi_mpi_comm_world');
  } catch {
    return undefined;
  }
  return {
    handle: 'void *',
    world: symbol('ompi_mpi_comm_world'),
    float: symbol('ompi_mpi_float'),
    byte: symbol('ompi_mpi_byte'),
    add: symbol('ompi_mpi_op_sum'),
    errorsReturn: symbol('ompi_mpi_errors_return'),
    inPlace: 1n,
    anySource: -1,
    ignoreStatus: null,
  };
}

/** MPICH and what is compatible with it (Intel MPI, Cray MPICH, MVAPICH): a handle is a number that never changes. */
const MPICH: Constants = {
  handle: 'int',
  world: 0x44000000,
  float: 0x4c00040a,
  byte: 0x4c00010d,
  add: 0x58000003,
  errorsReturn: 0x54000001,
  inPlace: 0xffffffffffffffffn,
  anySource: -2,
  ignoreStatus: 1n,
};
