import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { commitFolder, openFolder, openSafetensors, verifyFolder } from '../src/node.js';
import { withHandles } from './failing-fs.js';
import { commitSmall } from './small-folder.js';
import { temporaryFolders } from './workspace.js';

const newFolder = temporaryFolders();

describe('verifyFolder', () => {
  // A different bit of each byte; the proof flips all of them.
  it('refuses a flipped bit in every byte of every file', async () => {
    const path = join(newFolder(), 'small');
    await commitSmall(path, 7);
    let flips = 0;
    for (const name of readdirSync(path)) {
      const file = join(path, name);
      const bytes = readFileSync(file);
      for (let at = 0; at < bytes.length; at++) {
        const damaged = Buffer.from(bytes);
        damaged[at]! ^= 1 << (at % 8);
        writeFileSync(file, damaged);
        if ((await verifyFolder(path)).ok) expect.fail(`byte ${at} of ${name}`);
        flips++;
      }
      writeFileSync(file, bytes);
    }
    expect(flips).toBeGreaterThan(500);
    expect((await verifyFolder(path)).ok).toBe(true);
  });

  it('refuses every file cut off at every length, grown, or missing', async () => {
    const path = join(newFolder(), 'small');
    await commitSmall(path, 7);
    for (const name of readdirSync(path)) {
      const file = join(path, name);
      const bytes = readFileSync(file);
      for (let length = bytes.length - 1; length >= 0; length--) {
        truncateSync(file, length);
        if ((await verifyFolder(path)).ok) expect.fail(`${name} of ${length} bytes`);
      }
      writeFileSync(file, Buffer.concat([bytes, Buffer.from([10])]));
      expect((await verifyFolder(path)).ok, `${name} with a byte more`).toBe(false);
      rmSync(file);
      expect(await verifyFolder(path), `without ${name}`).toEqual({
        ok: false,
        reason: expect.stringContaining(name),
      });
      writeFileSync(file, bytes);
    }
    expect((await verifyFolder(path)).ok).toBe(true);
  });

  it('refuses a folder whose files come from another commit', async () => {
    const parent = newFolder();
    await commitSmall(join(parent, 'a'), 1);
    await commitSmall(join(parent, 'b'), 2);
    writeFileSync(join(parent, 'a/model.safetensors'), readFileSync(join(parent, 'b/model.safetensors')));
    expect(await verifyFolder(join(parent, 'a'))).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/damaged/),
    });
  });

  it('refuses what is not a folder of ours, and says why', async () => {
    const parent = newFolder();
    mkdirSync(join(parent, 'foreign'));
    writeFileSync(join(parent, 'foreign/manifest.json'), '{"files":{}}');
    writeFileSync(join(parent, 'file'), '');
    expect(await verifyFolder(join(parent, 'none'))).toMatchObject({
      reason: expect.stringMatching(/has no manifest\.json/),
    });
    expect(await verifyFolder(join(parent, 'foreign'))).toMatchObject({
      reason: expect.stringMatching(/damaged/),
    });
    expect((await verifyFolder(join(parent, 'file'))).ok).toBe(false);
    mkdirSync(join(parent, 'odd/manifest.json'), { recursive: true });
    expect((await verifyFolder(join(parent, 'odd'))).ok).toBe(false);
  });

  it('does not mind files that somebody else put there', async () => {
    const path = join(newFolder(), 'x');
    await commitSmall(path, 1);
    writeFileSync(join(path, 'notes.txt'), 'good one');
    expect((await verifyFolder(path)).ok).toBe(true);
  });
});

describe('openFolder', () => {
  it('never gives bytes that are not those which were written', async () => {
    const path = join(newFolder(), 'x');
    await commitSmall(path, 1);
    const file = join(path, 'model.safetensors');
    const bytes = readFileSync(file);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(file, bytes);
    const folder = await openFolder(path);
    await expect(folder.readSafetensors('model.safetensors')).rejects.toMatchObject({
      code: 'CHECKSUM_MISMATCH',
    });
    truncateSync(file, 3);
    await expect(folder.read('model.safetensors')).rejects.toMatchObject({ code: 'CHECKSUM_MISMATCH' });
    await expect(folder.read('../x/state.json')).rejects.toMatchObject({ code: 'BAD_FILE_NAME' });
    await expect(openFolder(newFolder())).rejects.toMatchObject({ code: 'NOT_COMMITTED' });
  });
});

describe('a whole file whose content makes no sense', () => {
  it('is named, whether it is read alone or from a folder', async () => {
    const path = join(newFolder(), 'x');
    await commitFolder(path, (folder) => folder.write('model.safetensors', 'no'));
    const file = join(path, 'model.safetensors');
    const folder = await openFolder(path);
    const readers = [() => folder.readSafetensors('model.safetensors'), () => openSafetensors(file)];
    for (const read of readers) {
      const error = await read().catch((thrown: unknown) => thrown as Error);
      expect(error).toMatchObject({ name: 'SafetensorsError', code: 'HEADER_TOO_SMALL' });
      expect((error as Error).message).toContain(
        `"${file}" cannot be read as safetensors. The file has 2 bytes.`,
      );
    }
  });
});

describe('a file of many chunks', () => {
  const data = Uint8Array.from({ length: 5_500_000 }, (_, index) => (index * 31 + (index >> 8)) % 251);
  const commitLarge = async () => {
    const path = join(newFolder(), 'large');
    await commitFolder(path, (folder) => folder.write('data', data));
    return path;
  };

  it('is read as it was written', async () => {
    const path = await commitLarge();
    expect(Buffer.from(await (await openFolder(path)).read('data')).equals(data)).toBe(true);
    expect((await verifyFolder(path)).ok).toBe(true);
  });

  it('is refused when a bit of any of them is flipped, or two have changed places', async () => {
    const path = await commitLarge();
    const file = join(path, 'data');
    const swapped = Buffer.from(data);
    swapped.set(data.subarray(2 ** 20, 2 ** 21), 2 ** 22);
    swapped.set(data.subarray(2 ** 22, 2 ** 22 + 2 ** 20), 2 ** 20);
    const damaged = [swapped];
    for (let at = 2 ** 19; at < data.length; at += 2 ** 20) {
      const flipped = Buffer.from(data);
      flipped[at]! ^= 4;
      damaged.push(flipped);
    }
    for (const bytes of damaged) {
      writeFileSync(file, bytes);
      expect((await verifyFolder(path)).ok).toBe(false);
      await expect((await openFolder(path)).read('data')).rejects.toMatchObject({
        code: 'CHECKSUM_MISMATCH',
      });
    }
  });

  it('is read right when the system gives only part of what is asked for, in whatever order', async () => {
    const path = await commitLarge();
    let turn = 0;
    const fs = withHandles((handle) => {
      const read = handle.read.bind(handle) as (...all: unknown[]) => Promise<{ bytesRead: number }>;
      const late = async (bytes: Uint8Array, at: number, length: number, position: number) => {
        // The first of three comes last.
        await sleep(3 * (2 - (turn++ % 3)));
        return read(bytes, at, Math.ceil(length / 2), position);
      };
      return Object.assign(handle, { read: late });
    });
    expect(Buffer.from(await (await openFolder(path, { fs })).read('data')).equals(data)).toBe(true);
    expect((await verifyFolder(path, { fs })).ok).toBe(true);
  });

  it('is closed only when nothing is being read from it, also when a read fails', async () => {
    const path = await commitLarge();
    let underWay = 0;
    const underWayAtClose: number[] = [];
    let most = 0;
    const fs = withHandles((handle) => {
      const read = handle.read.bind(handle) as (...all: unknown[]) => Promise<unknown>;
      const close = handle.close.bind(handle);
      return Object.assign(handle, {
        read: async (...args: unknown[]) => {
          if (args[3] === 2 ** 20) {
            throw Object.assign(new Error('EIO: injected'), { code: 'EIO', syscall: 'read' });
          }
          most = Math.max(most, ++underWay);
          await sleep(args[3] === 0 ? 0 : 20);
          return read(...args).finally(() => underWay--);
        },
        close: () => {
          underWayAtClose.push(underWay);
          return close();
        },
      });
    });
    const folder = await openFolder(path, { fs });
    await expect(folder.read('data')).rejects.toMatchObject({ code: 'FILE_SYSTEM', cause: { code: 'EIO' } });
    expect((await verifyFolder(path, { fs })).ok).toBe(false);
    expect(new Set(underWayAtClose)).toEqual(new Set([0]));
    // Otherwise there would have been nothing to wait for.
    expect(most).toBeGreaterThan(1);
  });
});
