import { type FileHandle, fileSystem } from '@hookline/host';
import { SafetensorsError } from '../errors.js';
import {
  type Header,
  type HeaderOptions,
  headerEnd,
  LENGTH_BYTES,
  parseHeader,
  type TensorInfo,
} from '../header.js';
import { dataOf, type SafetensorsTensor } from '../tensors.js';
import { badContent, type FileSystemOption, failed } from './file-system.js';
import { readRange } from './read-file.js';

export interface OpenSafetensorsOptions extends HeaderOptions, FileSystemOption {}

/** An open file whose header has been read and checked. */
export interface SafetensorsFile extends Header {
  read(name: string): Promise<SafetensorsTensor>;
  /** All of them, in one go and in one piece of memory. */
  readAll(): Promise<Map<string, SafetensorsTensor>>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Reads the header only. Close it when you are done. */
export async function openSafetensors(
  path: string,
  { fs = fileSystem, ...options }: OpenSafetensorsOptions = {},
): Promise<SafetensorsFile> {
  const handle = await fs.open(path, 'r').catch((error) => {
    throw failed(`Could not open "${path}"`, error);
  });
  try {
    const header = await readHeader(path, handle, options);
    return new OpenFile(path, handle, header);
  } catch (error) {
    await handle.close();
    throw failed(`Could not read "${path}"`, error);
  }
}

async function readHeader(path: string, handle: FileHandle, options: HeaderOptions): Promise<Header> {
  const { size } = await handle.stat();
  const start = await readRange(handle, 0, Math.min(LENGTH_BYTES, size));
  try {
    const end = headerEnd(start, size, options);
    return parseHeader(await readRange(handle, LENGTH_BYTES, end), size);
  } catch (error) {
    throw badContent(path, error);
  }
}

class OpenFile implements SafetensorsFile {
  readonly metadata: ReadonlyMap<string, string>;
  readonly tensors: ReadonlyMap<string, TensorInfo>;

  constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    { metadata, tensors }: Header,
  ) {
    this.metadata = metadata;
    this.tensors = tensors;
  }

  async read(name: string): Promise<SafetensorsTensor> {
    const info = this.tensors.get(name);
    if (info === undefined) {
      throw new SafetensorsError(
        'TENSOR_NOT_FOUND',
        `"${this.path}" has no tensor "${name}". "tensors" lists all ${this.tensors.size}.`,
      );
    }
    const { dtype, shape, begin, end } = info;
    return { dtype, shape, data: dataOf(dtype, await this.bytes(begin, end)) };
  }

  async readAll(): Promise<Map<string, SafetensorsTensor>> {
    const all = [...this.tensors];
    const start = all[0]?.[1].begin ?? 0;
    const bytes = await this.bytes(start, all.at(-1)?.[1].end ?? 0);
    return new Map(
      all.map(([name, { dtype, shape, begin, end }]) => [
        name,
        { dtype, shape, data: dataOf(dtype, bytes.subarray(begin - start, end - start)) },
      ]),
    );
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async bytes(begin: number, end: number): Promise<Uint8Array> {
    try {
      return await readRange(this.handle, begin, end);
    } catch (error) {
      throw failed(`Could not read "${this.path}"`, error);
    }
  }
}
