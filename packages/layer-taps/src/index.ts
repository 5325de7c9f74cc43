export { LayerTapsError, type LayerTapsErrorCode } from './errors.js';
export { forward, type Tensors } from './forward.js';
export type { Layer } from './layer.js';
export { snakeCase } from './layer-names.js';
export { layerPaths } from './layer-paths.js';
export { isModule, type ModuleOptions, type TappableModel, type TappableModule } from './module.js';
export { type ParameterPath, parameterPaths } from './parameter-paths.js';
export { matchesPath, type PathFilter } from './path-filter.js';
export { type Tap, type TapOptions, tap } from './tap.js';
export type {
  TapEvent,
  TapGradientEvent,
  TapHandler,
  TapHandlers,
  TapInputEvent,
  TapSpec,
  TapUse,
} from './tap-handlers.js';
export { withTaps } from './with-taps.js';
