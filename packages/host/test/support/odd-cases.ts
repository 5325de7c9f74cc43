import { bytesOf, codeOf, same } from './expecting.js';
import type { FileCase } from './file-cases.js';

/** What every half of the host promises when several do something at once, or in an unusual order. */
export const oddCases: Readonly<Record<string, FileCase>> = {
  'many files that are written at once are all there': async (host, folder) => {
    const names = Array.from({ length: 24 }, (_, at) => `file-${at}`);
    await Promise.all(names.map((name, at) => host.writeFile(host.join(folder, name), bytesOf(at * 4_000))));
    same((await host.readdir(folder)).sort(), [...names].sort(), 'names');
    const sizes = await Promise.all(
      names.map(async (name) => (await host.stat(host.join(folder, name))).size),
    );
    same(
      sizes,
      names.map((_, at) => at * 4_000),
      'sizes',
    );
  },

  'of two that make the same folder, both have it': async (host, folder) => {
    const path = host.join(folder, 'a', 'b', 'c');
    await Promise.all([1, 2, 3].map(() => host.mkdir(path, { recursive: true })));
    same(await host.readdir(host.join(folder, 'a')), ['b'], 'it is there once');
    const both = await Promise.allSettled([1, 2].map(() => host.mkdir(host.join(path, 'new'))));
    same(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'without recursive one is told');
  },

  'what is written behind the end is preceded by zeros': async (host, folder) => {
    const path = host.join(folder, 'gap');
    const handle = await host.open(path, 'w');
    await handle.write(Uint8Array.of(7, 8), 0, 2, 4);
    await handle.close();
    same([...(await host.readFile(path))], [0, 0, 0, 0, 7, 8], 'bytes');
  },

  'a file keeps its content and its time under another name': async (host, folder) => {
    const [from, to] = [host.join(folder, 'from'), host.join(folder, 'to')];
    await host.writeFile(from, 'kept');
    const moment = new Date(1_600_000_000_000);
    await host.utimes(from, moment, moment);
    await host.rename(from, to);
    same(
      [await host.readFile(to, 'utf8'), (await host.stat(to)).mtimeMs],
      ['kept', moment.getTime()],
      'both',
    );
    same(await codeOf(host.stat(from)), 'ENOENT', 'the old name');
  },

  'a file can be written, removed and written again by its name': async (host, folder) => {
    const path = host.join(folder, 'again');
    for (const length of [3, 70_000, 0, 5]) {
      await host.writeFile(path, bytesOf(length));
      same((await host.readFile(path)).length, length, `${length} bytes`);
      await host.rm(path);
      same(await codeOf(host.readFile(path)), 'ENOENT', 'removed');
    }
    same(await host.readdir(folder), [], 'nothing is left');
  },

  'a folder that took the place of another holds only its own': async (host, folder) => {
    const [last, next] = [host.join(folder, 'last'), host.join(folder, 'next')];
    for (let round = 0; round < 3; round++) {
      await host.mkdir(next);
      await host.writeFile(host.join(next, `round-${round}`), bytesOf(66_000));
      await host.rm(last, { recursive: true, force: true });
      await host.rename(next, last);
      same(await host.readdir(last), [`round-${round}`], `round ${round}`);
    }
    same(await host.readdir(folder), ['last'], 'nothing else');
  },

  'a name may be long, and is not mixed up with one that begins alike': async (host, folder) => {
    const long = 'x'.repeat(200);
    for (const name of [long, `${long}y`, long.slice(1)]) await host.writeFile(host.join(folder, name), name);
    await host.rm(host.join(folder, long));
    same((await host.readdir(folder)).sort(), [long.slice(1), `${long}y`], 'the others are there');
    same(await host.readFile(host.join(folder, `${long}y`), 'utf8'), `${long}y`, 'and hold their own');
  },
};
