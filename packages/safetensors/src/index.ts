export type { Dtype, TensorData } from './dtypes.js';
export { type EncodeOptions, encodeSafetensors } from './encode-safetensors.js';
export { SafetensorsError, type SafetensorsErrorCode } from './errors.js';
export type { HeaderOptions } from './header.js';
export { parseSafetensors, type SafetensorsContent } from './parse-safetensors.js';
export type { Metadata, SafetensorsTensor, TensorInput, Tensors } from './tensors.js';
