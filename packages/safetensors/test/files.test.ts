import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as promises from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeSafetensors, type TensorData } from '../src/index.js';
import { openSafetensors, writeSafetensors } from '../src/node.js';
import { FailingFs, withHandles } from './failing-fs.js';
import { MALFORMED } from './raw-file.js';
import { temporaryFolders } from './workspace.js';

const newFolder = temporaryFolders();

function sameBytes(a: TensorData, b: TensorData): boolean {
  return Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer));
}

/** Above the size of a chunk, at it, below it, tiny, and nothing. */
function manySizes(): Map<string, { shape: number[]; data: Float32Array }> {
  const sizes = [800_001, 2 ** 19, 2 ** 19 - 1, 2 ** 18, 70_000, 16_384, 16_383, 1, 0, 3, 5];
  return new Map(
    sizes.map((size, index) => [
      `layer_${index}/kernel`,
      { shape: [size], data: Float32Array.from({ length: size }, (_, at) => at * (index + 1)) },
    ]),
  );
}

describe('writeSafetensors', () => {
  it('streams the very bytes that encodeSafetensors gives, and tells their size and hash', async () => {
    const path = join(newFolder(), 'model.safetensors');
    const tensors = manySizes();
    const metadata = { framework: 'hookline' };
    const expected = encodeSafetensors(tensors, { metadata });
    const digest = await writeSafetensors(path, tensors, { metadata });
    expect(readFileSync(path).equals(expected)).toBe(true);
    expect(digest).toEqual({
      bytes: expected.byteLength,
      sha256: createHash('sha256').update(expected).digest('hex'),
    });
  });

  it('takes thousands of small tensors', async () => {
    const path = join(newFolder(), 'model.safetensors');
    const tensors = new Map(
      Array.from({ length: 3000 }, (_, index) => [
        `t${index}`,
        { shape: [index % 700], data: new Float32Array(index % 700).fill(index) },
      ]),
    );
    await writeSafetensors(path, tensors);
    expect(readFileSync(path).equals(encodeSafetensors(tensors))).toBe(true);
  });

  it('fetches tensors one at a time where they are given as functions', async () => {
    const path = join(newFolder(), 'model.safetensors');
    const fetched: string[] = [];
    const lazy = (name: string, value: number) => ({
      dtype: 'F32' as const,
      shape: [100_000],
      data: async () => {
        fetched.push(name);
        return new Float32Array(100_000).fill(value);
      },
    });
    await writeSafetensors(path, { b: lazy('b', 2), a: lazy('a', 1) });
    expect(fetched).toEqual(['a', 'b']);
    const file = await openSafetensors(path);
    expect((await file.read('b')).data[99_999]).toBe(2);
    await file.close();
  });

  it('takes arrays in shared memory', async () => {
    const path = join(newFolder(), 'model.safetensors');
    const data = new Float32Array(new SharedArrayBuffer(800_000)).fill(7);
    await writeSafetensors(path, { a: { shape: [200_000], data } });
    expect(readFileSync(path).equals(encodeSafetensors({ a: { shape: [200_000], data } }))).toBe(true);
  });

  it('replaces a file only when the new one is complete', async () => {
    const folder = newFolder();
    const path = join(folder, 'model.safetensors');
    const [first, second] = [1, 2].map((value) => ({ a: { shape: [1], data: new Float32Array([value]) } }));
    await writeSafetensors(path, first!);
    const before = readFileSync(path);
    const late = { dtype: 'F32' as const, shape: [1], data: () => new Float32Array(2) };
    await expect(writeSafetensors(path, { late })).rejects.toMatchObject({ code: 'INVALID_TENSOR_VIEW' });
    const lost = () => Promise.reject(new Error('the device is lost'));
    await expect(writeSafetensors(path, { late: { ...late, data: lost } })).rejects.toThrow(
      'the device is lost',
    );
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['model.safetensors']);
    await writeSafetensors(path, second!);
    expect(readFileSync(path).equals(encodeSafetensors(second!))).toBe(true);
  });

  it('continues when the system writes only part of what it is given', async () => {
    const path = join(newFolder(), 'model.safetensors');
    const fs = withHandles((handle) => {
      const write = handle.write.bind(handle) as (...all: unknown[]) => unknown;
      const short = (bytes: Uint8Array, at: number, length: number, position: number) =>
        write(bytes, at, Math.ceil(length / 3), position);
      return Object.assign(handle, { write: short });
    });
    await writeSafetensors(path, manySizes(), { fs });
    expect(readFileSync(path).equals(encodeSafetensors(manySizes()))).toBe(true);
  });

  it('closes a file only when nothing is being written to it', async () => {
    let underWay = 0;
    const underWayAtClose: number[] = [];
    const fs = withHandles((handle) => {
      const write = handle.write.bind(handle) as (...all: unknown[]) => Promise<unknown>;
      const close = handle.close.bind(handle);
      return Object.assign(handle, {
        write: async (...args: unknown[]) => {
          underWay++;
          await write(...args).finally(() => underWay--);
          return { bytesWritten: args[2] };
        },
        close: () => {
          underWayAtClose.push(underWay);
          return close();
        },
      });
    });
    const lost = () => Promise.reject(new Error('the device is lost'));
    const tensors = {
      a: { shape: [8_000_000], data: new Float32Array(8_000_000) },
      b: { dtype: 'U8' as const, shape: [1], data: lost },
    };
    const writing = writeSafetensors(join(newFolder(), 'x.safetensors'), tensors, { fs });
    await expect(writing).rejects.toThrow('the device is lost');
    expect(underWayAtClose).toEqual([0]);
  });

  it('leaves neither a file nor a rejection that nobody handles when any operation fails', async () => {
    const tensors = { a: { shape: [10_000_000], data: new Float32Array(10_000_000) } };
    for (const only of ['open', 'write', 'datasync', 'sync', 'rename']) {
      const folder = newFolder();
      const { fs } = new FailingFs({ nth: 1, code: 'ENOSPC', forGood: false, only });
      const writing = writeSafetensors(join(folder, 'x.safetensors'), tensors, { fs });
      await expect(writing, only).rejects.toMatchObject({ code: 'FILE_SYSTEM', cause: { code: 'ENOSPC' } });
      expect(readdirSync(folder)).toEqual([]);
    }
  });
});

describe('openSafetensors', () => {
  it('reads the header, single tensors, and all of them', async () => {
    const path = join(newFolder(), 'model.safetensors');
    const tensors = manySizes();
    await writeSafetensors(path, tensors, { metadata: { step: '7' } });
    const file = await openSafetensors(path);
    expect(file.metadata.get('step')).toBe('7');
    expect(new Set(file.tensors.keys())).toEqual(new Set(tensors.keys()));
    const all = await file.readAll();
    for (const [name, { shape, data }] of tensors) {
      expect(file.tensors.get(name)).toMatchObject({ dtype: 'F32', shape });
      for (const read of [await file.read(name), all.get(name)!]) {
        expect(read).toMatchObject({ dtype: 'F32', shape });
        expect(read.data).toBeInstanceOf(Float32Array);
        expect(sameBytes(read.data, data)).toBe(true);
      }
    }
    await file.close();
  });

  it('reads a file without tensors', async () => {
    const path = join(newFolder(), 'model.safetensors');
    await writeSafetensors(path, {});
    const file = await openSafetensors(path);
    expect(await file.readAll()).toEqual(new Map());
    await file.close();
  });

  it('names a tensor that is not there', async () => {
    const path = join(newFolder(), 'model.safetensors');
    await writeSafetensors(path, {});
    const file = await openSafetensors(path);
    await expect(file.read('toString')).rejects.toMatchObject({ code: 'TENSOR_NOT_FOUND' });
    await file.close();
  });

  it('refuses what parseSafetensors refuses, by the same name, and keeps no file open', async () => {
    const path = join(newFolder(), 'model.safetensors');
    for (const [what, [bytes, code]] of Object.entries(MALFORMED)) {
      writeFileSync(path, bytes);
      await expect(openSafetensors(path), what).rejects.toMatchObject({ code });
    }
    const isOpen = (await promises.readdir('/proc/self/fd').catch(() => [])).map((fd) =>
      promises.readlink(`/proc/self/fd/${fd}`).catch(() => ''),
    );
    expect(await Promise.all(isOpen)).not.toContain(path);
  });

  it('says which file is missing', async () => {
    const path = join(newFolder(), 'none.safetensors');
    await expect(openSafetensors(path)).rejects.toMatchObject({
      code: 'FILE_SYSTEM',
      message: expect.stringContaining('none.safetensors'),
      cause: { code: 'ENOENT' },
    });
  });
});
