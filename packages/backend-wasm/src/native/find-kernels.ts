/** What @hookline/kernels-native gives: kernels of the module that compute the same bits, with wider vectors. */
export interface NativeKernels {
  /** The addon, for the workers of a team to load. */
  readonly file: string;
  /** Which instructions they use: `avx2` or `avx512`. */
  readonly instructions: string;
  readonly names: readonly string[];
  /** Gives false where the module has to compute it; then nothing has been written. */
  bind(name: string, memory: () => Uint8Array): (...args: (number | boolean)[]) => boolean;
  /** Lets go of the memory of the last call. */
  release(): void;
}

export type FoundKernels = { readonly kernels: NativeKernels } | { readonly why: string };

const PACKAGE = '@hookline/kernels-native';

/**
 * The native kernels, where the package is installed, for this platform and this processor. It is found when training is
 * enabled, beside this package or in the project: nothing here depends on it, and in a browser there is none.
 */
export async function findKernels(): Promise<FoundKernels> {
  const { process } = globalThis as NodeGlobals;
  if (!process?.versions?.node) return { why: 'they need Node' };
  if (isSwitchedOff(process.env?.HOOKLINE_WASM_NATIVE))
    return { why: 'HOOKLINE_WASM_NATIVE switches them off' };
  const found = (await importPackage(PACKAGE)) ?? (await importPackage(fileInProject(process)));
  if (!found) return { why: `${PACKAGE} is not installed` };
  try {
    const kernels = found.loadKernels();
    return kernels ? { kernels } : { why: `${PACKAGE} has no kernels for this platform and processor` };
  } catch (error) {
    return { why: (error as Error).message };
  }
}

interface Package {
  loadKernels(): NativeKernels | undefined;
}

/** What is used of Node, by its global object: an import of `node:` would break bundles for browsers. */
interface NodeGlobals {
  process?: {
    versions?: { node?: string };
    env?: Record<string, string | undefined>;
    cwd(): string;
    getBuiltinModule?(name: 'module'): { createRequire(file: string): { resolve(name: string): string } };
  };
}

function isSwitchedOff(text: string | undefined): boolean {
  return ['0', 'false', 'off'].includes(text?.trim().toLowerCase() ?? '');
}

async function importPackage(specifier: string | undefined): Promise<Package | undefined> {
  if (specifier === undefined) return undefined;
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ specifier)) as Package;
  } catch {
    return undefined;
  }
}

/** Strict package managers let a package see only what it depends on; the project depends on this one. */
function fileInProject(process: NonNullable<NodeGlobals['process']>): string | undefined {
  try {
    const require = process.getBuiltinModule?.('module').createRequire(`${process.cwd()}/package.json`);
    const file = require?.resolve(PACKAGE);
    return file === undefined ? undefined : new URL(`file://${file.replaceAll('\\', '/')}`).href;
  } catch {
    return undefined;
  }
}
