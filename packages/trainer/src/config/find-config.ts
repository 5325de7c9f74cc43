import { findProjectRoot } from '@hookline/hook-discovery';
import { currentFolder, dirname, join, resolve, stat } from '@hookline/host';
import { trainerError } from '../errors.js';

const NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map((ending) => `hookline.config.${ending}`);

/** The config file that is named, by its path or its folder; without a name, the nearest one up to the root of the project. */
export async function findConfig(
  named: string | undefined,
  start: string = currentFolder(),
): Promise<string> {
  const found = await (named === undefined ? configAbove(start) : configNamed(resolve(start, named)));
  if (found !== undefined) return found;
  throw trainerError(
    'CONFIG_MISSING',
    named === undefined
      ? `There is no config file in ${start} or above it in the project. Expected one of ${NAMES.join(', ')}. Name another file, or begin a project with "npx hookline init my-project".`
      : `There is no config file ${resolve(start, named)}.`,
  );
}

/** The same, or undefined where there is none. */
export async function configAbove(start: string): Promise<string | undefined> {
  const top = findProjectRoot(start) ?? resolve(start);
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const found = await configIn(folder);
    if (found !== undefined || folder === top || folder === dirname(folder)) return found;
  }
}

async function configNamed(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? configIn(path) : found && path;
}

async function configIn(folder: string): Promise<string | undefined> {
  const looks = NAMES.map((name) =>
    stat(join(folder, name)).then(
      () => [name],
      () => [],
    ),
  );
  const [found, second] = (await Promise.all(looks)).flat();
  if (second === undefined) return found && join(folder, found);
  throw trainerError(
    'BAD_CONFIG',
    `${folder} has two config files, ${found} and ${second}. Remove one, or name the one you mean.`,
  );
}
