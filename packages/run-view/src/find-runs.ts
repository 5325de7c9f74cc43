import { join, listFolder, stat } from '@hookline/host';

/** The folders of runs in a folder, or the folder itself where it is one; the newest last, because names begin with a date. */
export async function findRuns(folder: string): Promise<string[]> {
  if (await isRun(folder)) return [folder];
  const names = await listFolder(folder).catch(() => []);
  const folders = names.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const marks = await Promise.all(folders.sort().map(isRun));
  return folders.filter((_, at) => marks[at]);
}

async function isRun(folder: string): Promise<boolean> {
  return stat(join(folder, 'run.json')).then(
    (found) => found.isFile(),
    () => false,
  );
}
