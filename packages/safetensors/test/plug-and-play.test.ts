import type { FileHandle } from 'node:fs/promises';
import * as promises from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSafetensors, writeSafetensors } from '../src/node.js';
import { temporaryFolders } from './workspace.js';

const newFolder = temporaryFolders();

beforeEach(() => {
  Object.defineProperty(process.versions, 'pnp', { value: '3', configurable: true });
});

afterEach(() => {
  Reflect.deleteProperty(process.versions, 'pnp');
});

/** File handles as Yarn Plug'n'Play hands them out: they read and write, but cannot flush. */
async function openAsYarnDoes(...args: Parameters<typeof promises.open>): Promise<FileHandle> {
  const handle = await promises.open(...args);
  const notImplemented = () => {
    throw new Error('Method not implemented.');
  };
  return Object.assign(handle, { sync: notImplemented, datasync: notImplemented });
}

it("writes a file with the handles of Yarn Plug'n'Play, which cannot flush", async () => {
  const path = join(newFolder(), 'model.safetensors');
  // Large enough to be flushed on the way, too.
  const data = Float32Array.from({ length: 10_000_000 }, (_, index) => index);
  await writeSafetensors(
    path,
    { a: { shape: [data.length], data } },
    { fs: { ...promises, open: openAsYarnDoes } },
  );
  const file = await openSafetensors(path);
  const { data: read } = await file.read('a');
  expect(Buffer.from(read.buffer, read.byteOffset, read.byteLength).equals(Buffer.from(data.buffer))).toBe(
    true,
  );
  await file.close();
});
