import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  commitFolder,
  lockFolder,
  readPointer,
  removeFolder,
  verifyFolder,
  writePointer,
} from '../src/node.js';
import { codeOfError } from './checkpoints.js';
import { Figures } from './figures.js';

const figures = new Figures();
const root = mkdtempSync(join(tmpdir(), 'hookline-disks-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  figures.print();
});

function commit(path: string, bytes: number): Promise<unknown> {
  const data = new Uint8Array(bytes).fill(bytes % 251);
  return commitFolder(path, (folder) =>
    folder.writeSafetensors('model.safetensors', { a: { shape: [bytes], data } }),
  );
}

/** Gives a disk of its own of one megabyte, or says why not. */
async function withSmallDisk(run: (disk: string) => Promise<void>): Promise<string | undefined> {
  const disk = join(root, 'disk');
  mkdirSync(disk);
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], {
    encoding: 'utf8',
  });
  if (status !== 0)
    return `a disk of one megabyte cannot be mounted here (${stderr?.trim() || 'there is no mount'})`;
  try {
    await run(disk);
    return undefined;
  } finally {
    spawnSync('umount', [disk]);
    rmSync(disk, { recursive: true, force: true });
  }
}

it('keeps what is there when the disk is full, and continues when there is room', async () => {
  let commits = 0;
  let refused = 0;
  const why = await withSmallDisk(async (disk) => {
    for (let size = 1000; size < 400_000; size = Math.round(size * 1.17)) {
      const path = join(disk, `size-${size}`);
      try {
        await commit(path, size);
        commits++;
      } catch (error) {
        refused++;
        expect(codeOfError(error)).toBe('FILE_SYSTEM ENOSPC');
        expect(existsSync(path)).toBe(false);
      }
      expect(readdirSync(disk).filter((name) => name.startsWith('.tmp-'))).toEqual([]);
      for (const name of readdirSync(disk))
        expect((await verifyFolder(join(disk, name))).ok, name).toBe(true);
    }
    // To the last byte, so that not even a pointer fits.
    await writePointer(join(disk, 'last.json'), 'first');
    for (let size = 2 ** 20; size >= 1; size /= 2) {
      for (let filler = 0; filler < 3; filler++) {
        try {
          writeFileSync(join(disk, `.filler-${size}-${filler}`), new Uint8Array(size));
        } catch {}
      }
    }
    await expect(writePointer(join(disk, 'last.json'), 'second')).rejects.toMatchObject({
      code: 'FILE_SYSTEM',
    });
    expect(await readPointer(join(disk, 'last.json'))).toBe('first');
    for (const name of readdirSync(disk).filter((each) => each.startsWith('.filler')))
      rmSync(join(disk, name));
    const largest = readdirSync(disk)
      .filter((name) => name.startsWith('size-'))
      .at(-1)!;
    await removeFolder(join(disk, largest));
    await commit(join(disk, 'after'), 10_000);
    expect((await verifyFolder(join(disk, 'after'))).ok).toBe(true);
    expect(refused).toBeGreaterThan(0);
  });
  figures.add(
    'a disk of 1 MB that fills up',
    commits + refused,
    why
      ? `not run: ${why}`
      : `${commits} committed, ${refused} refused with ENOSPC; 0 wrong, 0 lost, 0 temporary folders left`,
  );
});

it('says so when it may not write, and what is there stays readable', async () => {
  const attempt = async (parent: string) => {
    const code = expect.stringMatching(/^(EROFS|EACCES)$/);
    for (const write of [
      () => commit(join(parent, 'b'), 10),
      () => lockFolder(parent),
      () => writePointer(join(parent, 'p'), 1),
    ]) {
      await expect(write()).rejects.toMatchObject({ code: 'FILE_SYSTEM', cause: { code } });
    }
    expect((await verifyFolder(join(parent, 'a'))).ok).toBe(true);
    expect(readdirSync(parent)).toEqual(['a']);
  };
  let how = 'mounted read-only';
  const why = await withSmallDisk(async (disk) => {
    await commit(join(disk, 'a'), 10);
    spawnSync('mount', ['-o', 'remount,ro', disk]);
    await attempt(disk);
  });
  if (why !== undefined) {
    how = 'without the right to write';
    const parent = mkdtempSync(join(root, 'read-only-'));
    await commit(join(parent, 'a'), 10);
    chmodSync(parent, 0o555);
    await attempt(parent);
    chmodSync(parent, 0o755);
  }
  figures.add(`a folder ${how}`, 3, 'commit, lock and pointer refused by name; what was there verifies');
});

it('says so when the folder vanishes while it writes, and does not make a new one', async () => {
  let trials = 0;
  for (const when of ['before', 'between', 'after'] as const) {
    const parent = mkdtempSync(join(root, 'vanishing-'));
    const vanish = () => rmSync(parent, { recursive: true });
    if (when === 'before') vanish();
    const writing = commitFolder(join(parent, 'a'), async (folder) => {
      await folder.write('one', 'one');
      if (when === 'between') vanish();
      await folder.write('two', 'two');
      if (when === 'after') vanish();
    });
    await expect(writing).rejects.toMatchObject({ code: 'FILE_SYSTEM', cause: { code: 'ENOENT' } });
    expect(existsSync(parent)).toBe(false);
    trials++;
  }
  figures.add(
    'a folder that vanishes before, during and after its files are written',
    trials,
    'refused by name',
  );
});

it('refuses every flipped bit and every length of every file', async () => {
  const path = join(root, 'small');
  await commitFolder(
    path,
    async (folder) => {
      await folder.writeSafetensors('model.safetensors', {
        kernel: { shape: [3], data: new Float32Array([1, 2, 3]) },
      });
      await folder.write('state.json', '{"step":7}');
    },
    { info: { step: 7, metrics: { 'val/loss': 0.5 } } },
  );
  let flips = 0;
  let cuts = 0;
  for (const name of readdirSync(path)) {
    const file = join(path, name);
    const bytes = readFileSync(file);
    for (let bit = 0; bit < bytes.length * 8; bit++, flips++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(file, damaged);
      if ((await verifyFolder(path)).ok) expect.fail(`bit ${bit} of ${name}`);
    }
    writeFileSync(file, bytes);
    for (let length = bytes.length - 1; length >= 0; length--, cuts++) {
      truncateSync(file, length);
      if ((await verifyFolder(path)).ok) expect.fail(`${name} of ${length} bytes`);
    }
    writeFileSync(file, bytes);
  }
  expect((await verifyFolder(path)).ok).toBe(true);
  figures.add('a flipped bit, every one of every file', flips, '0 taken for good');
  figures.add('a file that is cut off, at every length', cuts, '0 taken for good');
});
