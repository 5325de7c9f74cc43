import { type CommitFolderOptions, commitFolder, type FolderManifest } from '../src/node.js';

/** Commits a tensor of two values and a text. */
export function commitSmall(
  path: string,
  value: number,
  options: CommitFolderOptions = {},
): Promise<FolderManifest> {
  return commitFolder(
    path,
    async (folder) => {
      await folder.writeSafetensors('model.safetensors', {
        kernel: { shape: [2], data: new Float32Array([value, -value]) },
      });
      await folder.write('state.json', `{"step":${value}}`);
    },
    { info: { step: value }, ...options },
  );
}
