import type { HostTensor, JsonValue, Snapshot } from '@hookline/hook-api';
import type { CheckpointFile, TensorGroup } from '../save/save-job.js';
import type { TfjsModel } from './tfjs-model.js';

export const STATE_FILE = 'state.json';
export const MODEL_FILE = 'model.json';
export const WEIGHTS_FILE = 'weights.bin';
export const GROUP_SUFFIX = '.safetensors';

/** The tensors of a snapshot by field, whichever fields there are: each becomes a file. */
function groupsOf(snapshot: Snapshot): [string, TensorGroup][] {
  return Object.entries(snapshot).filter((entry): entry is [string, TensorGroup] => isGroup(entry));
}

/** The fields that are neither tensors nor the state. */
export function fieldsOf(snapshot: Snapshot): { [name: string]: JsonValue } {
  const rest = Object.entries(snapshot).filter((entry) => entry[0] !== 'state' && !isGroup(entry));
  return Object.fromEntries(rest) as { [name: string]: JsonValue };
}

/** The files of a checkpoint. With a tfjs model its weights go to `weights.bin`, in the order of its manifest. */
export function filesOf(
  snapshot: Snapshot,
  topology: string | undefined,
  tfjs: TfjsModel | undefined,
): CheckpointFile[] {
  const files: CheckpointFile[] = [];
  const taken = new Set<string>();
  if (tfjs) {
    const joined = tfjs.paths.map((path) => snapshot.model[path]!);
    for (const path of tfjs.paths) taken.add(path);
    files.push({ name: WEIGHTS_FILE, joined }, { name: MODEL_FILE, text: tfjs.json });
  } else if (topology !== undefined) files.push({ name: MODEL_FILE, text: topology });
  for (const [field, group] of groupsOf(snapshot)) {
    const rest = Object.entries(group).filter(([path]) => field !== 'model' || !taken.has(path));
    if (rest.length > 0) files.push({ name: `${field}${GROUP_SUFFIX}`, tensors: Object.fromEntries(rest) });
  }
  if (snapshot.state) files.push({ name: STATE_FILE, text: JSON.stringify(snapshot.state) });
  return files;
}

// An empty record counts, and makes no file: whether it was one of tensors cannot be told, and does not matter.
function isGroup([field, value]: [string, unknown]): boolean {
  if (field === 'state' || typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(isHostTensor);
}

function isHostTensor(value: unknown): value is HostTensor {
  const { dtype, shape, data } = Object(value) as Partial<HostTensor>;
  return typeof dtype === 'string' && Array.isArray(shape) && ArrayBuffer.isView(data);
}
