import type { HostTensor, Snapshot } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import type { Dtype } from '@hookline/safetensors';
import { type CommittedFolder, openFolder } from '@hookline/safetensors/node';
import { checkpointError } from '../errors.js';
import { isCheckpointInfo } from '../folder/checkpoint-info.js';
import { GROUP_SUFFIX, MODEL_FILE, STATE_FILE, WEIGHTS_FILE } from './snapshot-files.js';
import { isTopology, weightsListed } from './tfjs-model.js';

const DTYPES: Readonly<Partial<Record<Dtype, HostTensor['dtype']>>> = {
  F32: 'float32',
  I32: 'int32',
  BOOL: 'bool',
};

/** Reads a checkpoint back. Every file is checked against the manifest as it is read. */
export async function readSnapshot(path: string): Promise<Snapshot> {
  const folder = await openFolder(path);
  const { info, files } = folder.manifest;
  if (!isCheckpointInfo(info)) {
    throw checkpointError(
      'NOT_A_CHECKPOINT',
      `"${path}" is not a checkpoint: its manifest.json describes something else.`,
    );
  }
  const snapshot = { ...info.fields } as { -readonly [Field in keyof Snapshot]: Snapshot[Field] } & Record<
    string,
    unknown
  >;
  for (const name of files.keys()) {
    if (name.endsWith(GROUP_SUFFIX)) {
      snapshot[name.slice(0, -GROUP_SUFFIX.length)] = await readGroup(folder, name);
    } else if (name === STATE_FILE) {
      snapshot.state = await readState(folder);
    }
  }
  const topology = files.has(MODEL_FILE) ? await readTopology(folder) : undefined;
  if (files.has(WEIGHTS_FILE)) {
    snapshot.model = { ...(await readWeights(folder, topology ?? '{}')), ...snapshot.model };
  }
  return snapshot;
}

async function readState(folder: CommittedFolder): Promise<NonNullable<Snapshot['state']>> {
  const text = await folder.readText(STATE_FILE);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw checkpointError(
      'NOT_A_CHECKPOINT',
      `${STATE_FILE} of "${folder.path}" does not hold the state of a run: ${messageOf(error)}.`,
      error,
    );
  }
}

async function readGroup(folder: CommittedFolder, name: string): Promise<Record<string, HostTensor>> {
  const { tensors } = await folder.readSafetensors(name);
  return Object.fromEntries(
    [...tensors].map(([path, { dtype, shape, data }]) => {
      const known = DTYPES[dtype];
      if (!known) {
        throw checkpointError(
          'NOT_A_CHECKPOINT',
          `"${path}" in ${name} of "${folder.path}" has the type ${dtype}, which tensors of tfjs do not have.`,
        );
      }
      return [path, { dtype: known, shape, data: data as HostTensor['data'] }];
    }),
  );
}

/** Nothing of it is needed to resume, but a checkpoint whose model cannot be loaded elsewhere is not a good one. */
async function readTopology(folder: CommittedFolder): Promise<string> {
  const text = await folder.readText(MODEL_FILE);
  if (isTopology(text)) return text;
  throw checkpointError(
    'NOT_A_CHECKPOINT',
    `${MODEL_FILE} of "${folder.path}" does not describe a model: expected JSON with modelTopology.`,
  );
}

/** The weights of a checkpoint in the format of tfjs. */
async function readWeights(folder: CommittedFolder, topology: string): Promise<Record<string, HostTensor>> {
  const bytes = await folder.read(WEIGHTS_FILE);
  let begin = 0;
  const weights = weightsListed(topology).map(({ path, shape, dtype }) => {
    const Data = { float32: Float32Array, int32: Int32Array, bool: Uint8Array }[dtype];
    const end = begin + shape.reduce((size, each) => size * each, 1) * Data.BYTES_PER_ELEMENT;
    const part = bytes.subarray(begin, end);
    // A view if the bytes are aligned; behind booleans they may not be, and are copied.
    const aligned = part.byteOffset % Data.BYTES_PER_ELEMENT === 0 ? part : Uint8Array.from(part);
    const memory = aligned.buffer as ArrayBuffer;
    const data = new Data(memory, aligned.byteOffset, aligned.byteLength / Data.BYTES_PER_ELEMENT);
    begin = end;
    return [path, { dtype, shape, data }] as const;
  });
  return Object.fromEntries(weights);
}
