import { basename } from 'node:path';
import { messageOf } from '@hookline/hook-api/helpers';
import type { TensorData } from '@hookline/safetensors';
import { type CommittedFolder, openFolder } from '@hookline/safetensors/node';

export interface InspectedTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly values: number;
  /** Of the values that are finite; absent when there is none. */
  readonly min?: number;
  readonly max?: number;
  readonly nonFinite: number;
}

export interface InspectedFile {
  readonly name: string;
  readonly bytes: number;
  /** Of a safetensors file. */
  readonly tensors?: readonly InspectedTensor[];
  readonly problem?: string;
}

/** What a checkpoint says about itself, and what was found. */
export interface Inspected {
  readonly name: string;
  readonly path: string;
  readonly sequence: number;
  /** What the hook that saved it wrote down: step, epoch, metrics, reason. */
  readonly info: Readonly<Record<string, unknown>>;
  /** The hooks whose states it holds. */
  readonly hooks: readonly string[];
  readonly bytes: number;
  readonly files: readonly InspectedFile[];
  /** Empty when it is whole, and all its numbers are finite. */
  readonly problems: readonly string[];
}

/** Reads all of a checkpoint and checks it against its manifest. */
export async function inspectCheckpoint(path: string): Promise<Inspected> {
  const nothing = { name: basename(path), path, sequence: 0, info: {}, hooks: [], bytes: 0, files: [] };
  let folder: CommittedFolder;
  try {
    folder = await openFolder(path);
  } catch (error) {
    return { ...nothing, problems: [messageOf(error)] };
  }
  const info = Object(folder.manifest.info) as Record<string, unknown>;
  const files: InspectedFile[] = [];
  for (const [name, { bytes }] of folder.manifest.files) files.push(await inspectFile(folder, name, bytes));
  return {
    ...nothing,
    sequence: Number(info.sequence ?? 0),
    info,
    hooks: await hooksOf(folder),
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    files,
    problems: files.flatMap(problemsOf),
  };
}

async function inspectFile(folder: CommittedFolder, name: string, bytes: number): Promise<InspectedFile> {
  try {
    if (!name.endsWith('.safetensors')) {
      await folder.read(name);
      return { name, bytes };
    }
    const { tensors } = await folder.readSafetensors(name);
    const all = [...tensors].map(([each, { dtype, shape, data }]) => {
      return { name: each, dtype, shape, ...measure(data) };
    });
    return { name, bytes, tensors: all };
  } catch (error) {
    return { name, bytes, problem: messageOf(error) };
  }
}

function measure(data: TensorData): Omit<InspectedTensor, 'name' | 'dtype' | 'shape'> {
  let [min, max, nonFinite] = [Infinity, -Infinity, 0];
  for (const each of data) {
    const value = Number(each);
    if (!Number.isFinite(value)) nonFinite++;
    else [min, max] = [Math.min(min, value), Math.max(max, value)];
  }
  return { values: data.length, nonFinite, ...(min <= max && { min, max }) };
}

function problemsOf({ name, tensors = [], problem }: InspectedFile): string[] {
  const bad = tensors.filter(({ nonFinite }) => nonFinite > 0);
  const lines = bad.map((each) => `${name}: values of ${each.name} that are not finite: ${each.nonFinite}`);
  return problem === undefined ? lines : [problem, ...lines];
}

async function hooksOf(folder: CommittedFolder): Promise<string[]> {
  try {
    const { hooks } = JSON.parse(await folder.readText('state.json')) as { hooks?: object };
    return Object.keys(hooks ?? {});
  } catch {
    return []; // what is wrong with the file is listed as its problem
  }
}
