import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bytesOf } from './support/expecting.js';
import { FakeSite, type Tab } from './support/fake-site.js';

// Tabs at the same time, as when somebody opens a page twice: the database decides who was first.
let site: FakeSite;
let one: Tab['host'];
let other: Tab['host'];
beforeEach(async () => {
  site = new FakeSite();
  one = (await site.openTab()).host;
  await one.mkdir('/runs');
  other = (await site.openTab()).host;
  await other.readdir('/');
});
afterEach(() => vi.unstubAllGlobals());

test('of two tabs that take the same lock file, one gets it', async () => {
  const takes = await Promise.allSettled([one.open('/runs/.lock', 'wx'), other.open('/runs/.lock', 'wx')]);
  expect(takes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = takes.find((each) => each.status === 'rejected') as PromiseRejectedResult;
  expect(refused.reason).toMatchObject({ code: 'EEXIST', path: '/runs/.lock' });
});

test('of two folders that get the same name, one does, and the other is still there', async () => {
  for (const [host, name] of [
    [one, 'a'],
    [other, 'b'],
  ] as const) {
    await host.mkdir(`/runs/.${name}`);
    await host.writeFile(`/runs/.${name}/file`, name);
  }
  const moves = await Promise.allSettled([
    one.rename('/runs/.a', '/runs/step-1'),
    other.rename('/runs/.b', '/runs/step-1'),
  ]);
  expect(moves.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const names = (await one.readdir('/runs')).sort();
  expect(names).toHaveLength(2);
  expect(names).toContain('step-1');
  const winner = moves[0]!.status === 'fulfilled' ? 'a' : 'b';
  expect(await other.readFile('/runs/step-1/file', 'utf8')).toBe(winner);
});

test('lines that two tabs append to their own logs do not mix', async () => {
  const logs = await Promise.all([one.open('/runs/one.log', 'a'), other.open('/runs/other.log', 'a')]);
  for (let line = 0; line < 5; line++) {
    await Promise.all(logs.map((log, i) => log.appendFile(`${i}:${line}\n`)));
  }
  await Promise.all(logs.map((log) => log.close()));
  for (const [i, name] of ['one', 'other'].entries()) {
    expect(await one.readFile(`/runs/${name}.log`, 'utf8')).toBe(
      [0, 1, 2, 3, 4].map((line) => `${i}:${line}\n`).join(''),
    );
  }
});

test('a file that one tab replaces is whole in the other, the old one or the new one', async () => {
  await one.writeFile('/runs/run.json', 'a'.repeat(1000));
  const reads: Promise<string>[] = [];
  const writes: Promise<void>[] = [];
  for (const letter of ['b', 'c', 'd']) {
    reads.push(other.readFile('/runs/run.json', 'utf8'));
    writes.push(one.writeFile('/runs/run.json', letter.repeat(1000)));
    reads.push(other.readFile('/runs/run.json', 'utf8'));
  }
  await Promise.all(writes);
  for (const text of await Promise.all(reads)) {
    expect(/^(.)\1{999}$/.test(text), text.slice(0, 20)).toBe(true);
  }
  expect(await other.readFile('/runs/run.json', 'utf8')).toBe('d'.repeat(1000));
});

test('so is a large one, and one that cannot be read says why', async () => {
  await one.writeFile('/runs/model', bytesOf(70_000, 1));
  const reads = [1, 2, 3].map(() => other.readFile('/runs/model'));
  await one.writeFile('/runs/model', bytesOf(80_000, 2));
  for (const bytes of await Promise.all(reads)) expect([70_000, 80_000]).toContain(bytes.length);
  const reading = vi.spyOn(Blob.prototype, 'arrayBuffer');
  reading.mockRejectedValue(new DOMException('broken', 'NotReadableError'));
  await expect(other.readFile('/runs/model')).rejects.toMatchObject({ code: 'EIO' });
  reading.mockRestore();
});

test('what one tab removes is gone for the other, which can make it again', async () => {
  await one.mkdir('/runs/1');
  await one.writeFile('/runs/1/large', bytesOf(70_000));
  await other.rm('/runs/1', { recursive: true });
  await expect(one.readFile('/runs/1/large')).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(one.writeFile('/runs/1/new', 'x')).rejects.toMatchObject({ code: 'ENOENT' });
  await other.mkdir('/runs/1');
  await one.writeFile('/runs/1/new', 'x');
  expect(await other.readdir('/runs/1')).toEqual(['new']);
});

test('a tab that is killed while it writes a folder leaves nothing under its name', async () => {
  const third = await site.openTab();
  await third.host.mkdir('/runs/.tmp');
  await third.host.writeFile('/runs/.tmp/done', 'done');
  const handle = await third.host.open('/runs/.tmp/model', 'w');
  await handle.write(bytesOf(1000), 0, 1000, 0);
  third.kill();
  expect(await one.readdir('/runs')).toEqual(['.tmp']);
  expect((await one.stat('/runs/.tmp/model')).size).toBe(0);
  expect(one.fateOf(third.host.thisProcess())).toBe('dead');
  await one.rm('/runs/.tmp', { recursive: true });
  expect(await other.readdir('/runs')).toEqual([]);
});
