export { KernelsNativeError, type KernelsNativeErrorCode } from './errors.js';
export { type Instructions, loadKernels, type NativeKernels } from './load-kernels.js';
