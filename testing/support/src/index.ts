export { collectingLogger, type LogLine } from './collecting-logger.js';
export { DATA_ROWS, dataKinds, type TensorSample, tensorSample } from './data-kinds.js';
export { errorOf } from './error-of.js';
export { type FarBackend, farBackend } from './far-backend.js';
export { folderPerTest, type TestFolder } from './folder-per-test.js';
export { itOn } from './it-on.js';
export { SECRET_NAMES, SECRET_TEXTS } from './known-secrets.js';
export {
  classes,
  classifier,
  fixWeights,
  numbers,
  REGRESSOR_PATHS,
  regression,
  regressor,
  rows,
  weightsOf,
} from './models.js';
export { needyModel, ownProperties } from './needy-model.js';
export { type Recorded, type Recorder, recorder } from './recorder.js';
export { outcomeOn, REFUSED_OPERATIONS, someEqual, volume } from './refused-operations.js';
export { seeded } from './seeded.js';
export { serveFolder } from './serve-folder.js';
export { someOf } from './some-of.js';
export { useStockGradients } from './stock-gradients.js';
export {
  type Files,
  link,
  npmProject,
  type PluginOptions,
  plugin,
  tempFolder,
  write,
} from './temp-project.js';
export { TEST_BACKEND, TEST_BACKENDS } from './test-backend.js';
export { useBackend } from './use-backend.js';
