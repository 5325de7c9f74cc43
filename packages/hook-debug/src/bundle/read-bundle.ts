import type { HostTensor } from '@hookline/hook-api';
import { join, readFile, stat } from '@hookline/host';
import { debugError } from '../errors.js';
import { BUNDLE_FILES, BUNDLE_FORMAT, BUNDLE_VERSION, type BundleFile } from './bundle-file.js';
import { decodeTensors } from './tensor-files.js';

export interface Bundle {
  readonly description: BundleFile;
  readonly model: ReadonlyMap<string, HostTensor>;
  readonly batch: ReadonlyMap<string, HostTensor>;
  /** Of stateful layers; empty where there are none. */
  readonly states: ReadonlyMap<string, HostTensor>;
}

export async function readBundle(folder: string): Promise<Bundle> {
  const tensors = async (name: string) => {
    const file = join(folder, name);
    return decodeTensors(await read(file, folder), file);
  };
  return {
    description: await readDescription(folder),
    model: await tensors(BUNDLE_FILES.model),
    batch: await tensors(BUNDLE_FILES.batch),
    states: (await isThere(join(folder, BUNDLE_FILES.states)))
      ? await tensors(BUNDLE_FILES.states)
      : new Map(),
  };
}

async function readDescription(folder: string): Promise<BundleFile> {
  const file = join(folder, BUNDLE_FILES.description);
  const text = new TextDecoder().decode(await read(file, folder));
  let description: Partial<BundleFile> | null;
  try {
    description = JSON.parse(text);
  } catch (cause) {
    throw debugError('BUNDLE_DAMAGED', `${file} is not JSON.`, cause);
  }
  const { format, version } = description ?? {};
  if (format === BUNDLE_FORMAT && version === BUNDLE_VERSION) return description as BundleFile;
  throw debugError(
    'BUNDLE_DAMAGED',
    `${file} says format "${format}", version ${version}; expected "${BUNDLE_FORMAT}", version ${BUNDLE_VERSION}. ` +
      'Replay it with the version of @hookline/hook-debug that wrote it.',
  );
}

async function read(file: string, folder: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw debugError(
      'BUNDLE_MISSING',
      `${folder} is not a bundle of the debug hook: ${file} cannot be read. Bundles are the folders <run>/debug/<step>.`,
      cause,
    );
  }
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
