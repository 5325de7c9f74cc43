export { type FileSystem, fateOf, type ProcessMark, thisProcess } from '@hookline/host';
export {
  type CommitFolderOptions,
  commitFolder,
  type FolderWriter,
} from './node/commit-folder.js';
export type { FileSystemOption } from './node/file-system.js';
export type { FileDigest } from './node/hashed-file.js';
export { type FolderLock, type LockFolderOptions, lockFolder } from './node/lock-folder.js';
export type { FolderManifest } from './node/manifest.js';
export { type CommittedFolder, openFolder } from './node/open-folder.js';
export {
  type OpenSafetensorsOptions,
  openSafetensors,
  type SafetensorsFile,
} from './node/open-safetensors.js';
export { readPointer, writePointer } from './node/pointer.js';
export { removeFolder } from './node/remove-folder.js';
export { type RemoveStaleTempsOptions, removeStaleTemps } from './node/remove-stale-temps.js';
export { type FolderVerdict, verifyFolder } from './node/verify-folder.js';
export {
  type LazyTensor,
  type StreamedTensors,
  type WriteSafetensorsOptions,
  writeSafetensors,
} from './node/write-safetensors.js';
