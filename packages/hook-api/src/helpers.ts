export { messageOf } from './errors.js';
export { type BestEpoch, betterEpoch } from './helpers/best-epoch.js';
export { type BoundedAnswer, boundedFetch, type FetchBounds } from './helpers/bounded-fetch.js';
export {
  belowOne,
  checkKeys,
  checkOptions,
  type ForeignNames,
  notNegative,
  positive,
} from './helpers/check-options.js';
export type { Command, Write } from './helpers/command.js';
export {
  type ConsoleAnnouncement,
  consoleKey,
  type Histogram,
  type HistogramList,
  histogramsKey,
  histogramsSince,
  type LiveTerminal,
  lastWorkKey,
  leaveHistograms,
  profileKey,
  type RunHooks,
  type RunProfile,
  type RunWarning,
  runHooksKey,
  TIDIES_UP,
  terminalKey,
  warningsKey,
} from './helpers/exchange.js';
export { withForeignNames } from './helpers/foreign-options.js';
export { foreignState } from './helpers/foreign-state.js';
export { groupNames } from './helpers/group-names.js';
export { decodeJson, encodeJson } from './helpers/json-state.js';
export { looksLikeHook } from './helpers/looks-like-hook.js';
export { type Comparison, isBetter, missingMetric, modeOf } from './helpers/monitor.js';
export { placeText } from './helpers/place-text.js';
export { snapshotMetrics, snapshotStep } from './helpers/read-snapshot.js';
export { shortNumber } from './helpers/short-number.js';
export { type OutputStream, writeOutput } from './helpers/write-output.js';
export { HOOK_KINDS } from './hook-kind.js';
export { editDistance } from './nearest.js';
export { finiteOrText } from './show.js';
