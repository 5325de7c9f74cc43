import type { ModuleExports } from '../module/exports.js';
import type { NativeKernels } from './find-kernels.js';

type Fn = (...args: number[]) => unknown;

/**
 * The module, with what native kernels can compute computed by them, on the same memory. Every number of a result is
 * the same to the bit, so that each call may go either way: small ones stay in the module.
 */
export function nativeModule(
  module: ModuleExports,
  kernels: NativeKernels,
  memory: () => Uint8Array,
): ModuleExports {
  const own = { ...module } as unknown as Record<string, Fn>;
  for (const name of kernels.names) {
    const stock = own[name];
    if (stock) own[name] = nativeOr(stock, kernels.bind(name, memory), WORTH[name as keyof ModuleExports]);
  }
  return own as unknown as ModuleExports;
}

function nativeOr(stock: Fn, native: (...args: number[]) => boolean, worth: Worth | undefined): Fn {
  const { units, least } = worth ?? { units: [], least: 0 };
  return (...args) => {
    let work = 1;
    for (let i = 0; i < units.length; i++) work *= args[units[i]!]!;
    if (work < least || !native(...args)) stock(...args);
  };
}

/** The product of some arguments from which on it is worth it: leaving JavaScript takes some 60 nanoseconds longer. */
interface Worth {
  readonly units: readonly number[];
  readonly least: number;
}

/** Measured; whatever is missing here is always worth it. */
const WORTH: Readonly<Partial<Record<keyof ModuleExports, Worth>>> = {
  matMul: { units: [5, 6, 7, 10], least: 2048 },
  product: { units: [7, 8, 9], least: 2048 },
  productPart: { units: [8, 9, 10], least: 2048 },
  unary: { units: [3], least: 512 },
  binary: { units: [4, 5, 6], least: 2048 },
  adam: { units: [4], least: 256 },
  sumOfSquares: { units: [1], least: 1024 },
  statistics: { units: [1], least: 512 },
  movement: { units: [2], least: 512 },
  sum: { units: [2, 3, 4], least: 4096 },
  softmax: { units: [2, 3], least: 512 },
  softmaxGradient: { units: [3, 4], least: 1024 },
  layerNorm: { units: [6, 7], least: 1024 },
  layerNormGradientRows: { units: [8, 9], least: 2048 },
  blockSums: { units: [2, 3], least: 4096 },
  blockSquares: { units: [3, 4], least: 1024 },
  blockSlopes: { units: [6, 7], least: 512 },
  joinBlocks: { units: [2, 3], least: 1024 },
  batchNormRows: { units: [6, 7], least: 512 },
  batchNormGradientRows: { units: [8, 9], least: 512 },
  activationGradient: { units: [5, 6], least: 512 },
  depthwise: { units: [3, 4, 5, 6], least: 1024 },
  depthwise3x3: { units: [3, 4, 5, 6], least: 1024 },
  depthwiseInputGradient: { units: [3, 4, 5, 6], least: 1024 },
  depthwiseFilterGradient: { units: [3, 4, 5, 6], least: 1024 },
};
