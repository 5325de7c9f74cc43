export { LayerTapsError, type LayerTapsErrorCode } from './errors.js';
export type { Layer } from './layer.js';
export { layerPaths } from './layer-paths.js';
export { type ParameterPath, parameterPaths } from './parameter-paths.js';
export { matchesPath, type PathFilter } from './path-filter.js';
export { type Tap, type TapEvent, type TapHandler, tap } from './tap.js';
