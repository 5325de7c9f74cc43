import { bytesOf, codeOf, same } from './expecting.js';
import type { FileCase } from './file-cases.js';

/** What every half of the host promises about folders: a checkpoint is one, and gets its name at once. */
export const folderCases: Readonly<Record<string, FileCase>> = {
  'folders are made one by one, or all at once': async (host, folder) => {
    const deep = host.join(folder, 'a', 'b', 'c');
    same(await codeOf(host.mkdir(deep)), 'ENOENT', 'without those above');
    await host.mkdir(deep, { recursive: true });
    await host.mkdir(deep, { recursive: true });
    same(await codeOf(host.mkdir(deep)), 'EEXIST', 'twice');
    await host.writeFile(host.join(deep, 'file'), '');
    same(await codeOf(host.mkdir(host.join(deep, 'file'), { recursive: true })), 'EEXIST', 'over a file');
    same(
      await codeOf(host.mkdir(host.join(deep, 'file', 'x'), { recursive: true })),
      'ENOTDIR',
      'below a file',
    );
  },

  'a folder lists what is in it, and nothing of what is below': async (host, folder) => {
    await host.mkdir(host.join(folder, 'list', 'inner'), { recursive: true });
    for (const name of ['10', '9', 'é', 'Z', '.hidden', 'a b']) {
      await host.writeFile(host.join(folder, 'list', name), name);
    }
    await host.writeFile(host.join(folder, 'list', 'inner', 'deep'), '');
    await host.mkdir(host.join(folder, 'list2'));
    const names = ['.hidden', '10', '9', 'Z', 'a b', 'inner', 'é'];
    same((await host.readdir(host.join(folder, 'list'))).sort(), names, 'names');
    const entries = await host.listFolder(host.join(folder, 'list'));
    same(
      entries.filter((each) => each.isDirectory()).map(({ name }) => name),
      ['inner'],
      'folders',
    );
    same(entries.filter((each) => each.isFile()).length, 6, 'files');
    same(await host.readdir(host.join(folder, 'list2')), [], 'an empty one');
    same(await codeOf(host.readdir(host.join(folder, 'none'))), 'ENOENT', 'none');
    same(await codeOf(host.listFolder(host.join(folder, 'list', '9'))), 'ENOTDIR', 'a file');
  },

  'names that are special elsewhere are names': async (host, folder) => {
    const names = ['__proto__', 'constructor', '%2e%2e', '100%', "it's", 'emoji 🎉'];
    for (const name of names) await host.writeFile(host.join(folder, name), name);
    same((await host.readdir(folder)).sort(), [...names].sort(), 'names');
    for (const name of names) same(await host.readFile(host.join(folder, name), 'utf8'), name, name);
  },

  'a path leads to the same file however it is written': async (host, folder) => {
    await host.mkdir(host.join(folder, 'one', 'two'), { recursive: true });
    await host.writeFile(`${folder}/one/two/../three`, '3');
    for (const path of ['one/three', './one//three', 'one/two/../three', 'one/./two/.././three']) {
      same(await host.readFile(`${folder}/${path}`, 'utf8'), '3', path);
    }
    same(await host.readdir(`${folder}/one/two/`), [], 'with a slash at its end');
  },

  'a folder gets its name with all that it holds': async (host, folder) => {
    const [temporary, name] = [host.join(folder, '.tmp-1'), host.join(folder, 'step-10')];
    await host.mkdir(host.join(temporary, 'inner'), { recursive: true });
    await host.writeFile(host.join(temporary, 'small'), 'small');
    await host.writeFile(host.join(temporary, 'inner', 'large'), bytesOf(80_000));
    await host.rename(temporary, name);
    same((await host.readdir(folder)).sort(), ['step-10'], 'the old name is gone');
    same((await host.readdir(name)).sort(), ['inner', 'small'], 'what it holds');
    same((await host.readFile(host.join(name, 'inner', 'large'))).length, 80_000, 'contents came along');
  },

  'who looks while a folder is renamed sees all of it or nothing': async (host, folder) => {
    const [from, to] = [host.join(folder, '.part'), host.join(folder, 'whole')];
    await host.mkdir(from);
    for (let i = 0; i < 12; i++) await host.writeFile(host.join(from, `${i}`), 'x');
    const looks: Promise<string | number>[] = [];
    const look = () =>
      host.readdir(to).then(
        ({ length }) => length,
        ({ code }) => code,
      );
    for (let i = 0; i < 4; i++) looks.push(look());
    const renaming = host.rename(from, to);
    for (let i = 0; i < 4; i++) looks.push(look());
    await renaming;
    const seen = new Set([...(await Promise.all(looks)), await look()]);
    same(
      [...seen].filter((each) => each !== 12 && each !== 'ENOENT'),
      [],
      'what was seen',
    );
    same(seen.has(12), true, 'it is there in the end');
  },

  'renaming says what is in its way': async (host, folder) => {
    const at = (name: string) => host.join(folder, name);
    for (const name of ['empty', 'full', 'source']) await host.mkdir(at(name));
    await host.writeFile(at('full/file'), '');
    await host.writeFile(at('file'), 'file');
    await host.writeFile(at('other'), 'other');
    same(await codeOf(host.rename(at('none'), at('x'))), 'ENOENT', 'nothing to rename');
    same(await codeOf(host.rename(at('file'), at('none/x'))), 'ENOENT', 'no folder for it');
    same(await codeOf(host.rename(at('source'), at('full'))), 'ENOTEMPTY', 'a folder that holds something');
    same(await codeOf(host.rename(at('source'), at('file'))), 'ENOTDIR', 'a folder over a file');
    same(await codeOf(host.rename(at('file'), at('empty'))), 'EISDIR', 'a file over a folder');
    same(await codeOf(host.rename(at('source'), at('source/inner'))), 'EINVAL', 'into itself');
    same(
      await codeOf(host.rename(at('source'), at('source/none/inner'))),
      'ENOENT',
      'into what is not there',
    );
    await host.rename(at('source'), at('source'));
    await host.rename(at('source'), at('empty'));
    await host.rename(at('file'), at('other'));
    same((await host.readdir(folder)).sort(), ['empty', 'full', 'other'], 'what is left');
    same(await host.readFile(at('other'), 'utf8'), 'file', 'a file replaces a file');
  },

  'removing takes a folder with everything, and only when told so': async (host, folder) => {
    const tree = host.join(folder, 'tree');
    await host.mkdir(host.join(tree, 'x', 'y'), { recursive: true });
    for (const name of ['a', 'x/b', 'x/y/c']) await host.writeFile(host.join(tree, name), bytesOf(70_000));
    same(/EISDIR/.test(await codeOf(host.rm(tree))), true, 'a folder without recursive');
    same(await codeOf(host.rm(host.join(tree, 'none'))), 'ENOENT', 'nothing');
    await host.rm(host.join(tree, 'none'), { force: true });
    await host.rm(host.join(tree, 'none', 'deeper'), { force: true });
    await host.rm(host.join(tree, 'a'));
    same(await host.readdir(tree), ['x'], 'after a file');
    await host.rm(tree, { recursive: true });
    same(await host.readdir(folder), [], 'after the folder');
    await host.mkdir(tree);
    same(await host.readdir(tree), [], 'a new one of the same name is empty');
  },

  'a folder moves as one file and back': async (host, folder) => {
    const run = host.join(folder, 'run');
    await host.mkdir(host.join(run, 'checkpoints', 'last'), { recursive: true });
    await host.writeFile(host.join(run, 'run.json'), '{}');
    await host.writeFile(host.join(run, 'checkpoints', 'last', 'model.bin'), bytesOf(90_000));
    await host.writeFile(host.join(run, 'checkpoints', '.lock-1'), 'mine');
    const zip = await host.packFolder(run);
    await host.unpackFolder(zip, host.join(folder, 'copy'));
    same((await host.readdir(folder)).sort(), ['copy', 'run'], 'nothing else is left');
    same(await host.readdir(host.join(folder, 'copy', 'checkpoints')), ['last'], 'no locks');
    const copied = await host.readFile(host.join(folder, 'copy', 'checkpoints', 'last', 'model.bin'));
    same(
      host.createSha256().update(copied).digest(),
      host.createSha256().update(bytesOf(90_000)).digest(),
      'bits',
    );
    same(await packedAgain(), true, 'the copy packs to the same bytes');

    async function packedAgain(): Promise<boolean> {
      const again = await host.packFolder(host.join(folder, 'copy'));
      return again.length === zip.length && again.every((byte, i) => byte === zip[i]);
    }
  },
};
