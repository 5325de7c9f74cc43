import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { JsonValue } from '@hookline/hook-api';
import { findProjectRoot } from '@hookline/hook-discovery';
import { parsePath } from '../config/config-path.js';
import type { Overrides } from '../config/index.js';
import { trainerError } from '../errors.js';
import type { NamedRun } from './find-run.js';

/** The config file that a run was made from, and what replaced its settings. */
export interface RecordedConfig {
  readonly file: string;
  readonly set: Overrides;
}

/**
 * What the record of a run says about its config. A record is data that may come from elsewhere, and the file that it names
 * is imported: it must be a file of the project in which the command runs.
 */
export function recordedConfig({ folder, record }: NamedRun, set: Overrides): RecordedConfig {
  const { configFile, overrides } = record;
  const root = findProjectRoot();
  if (configFile === undefined) {
    throw refused(
      `${folder} was not made from a config file, so its model and data are not known here. Continue it in the program that made it: trainer.fit({ resume: ${JSON.stringify(folder)}, ... }).`,
    );
  }
  const home = findProjectRoot(folder);
  // Runs may also be kept outside of every project.
  if (root === undefined || (home !== undefined && home !== root)) {
    throw refused(`${folder} belongs to a different project than ${process.cwd()}. Call the command there.`);
  }
  const file = resolve(root, configFile);
  const all = { ...(overrides as Record<string, JsonValue>), ...set };
  const outside = [
    file,
    ...filesIn((overrides ?? {}) as Overrides).map((path) => resolve(dirname(file), path)),
  ].find((path) => !isInside(root, path));
  if (outside !== undefined) {
    throw refused(`${folder} names ${outside}, which is not a file of ${root}. It was not imported.`);
  }
  const hidden = Object.keys(all).filter((path) => all[path] === '[redacted]');
  if (hidden.length === 0) return { file, set: all };
  throw refused(
    `The record has no secrets, and these settings are secret: ${hidden.join(', ')}. Give them again: ${hidden.map((path) => `--set ${path}=...`).join(' ')}`,
  );
}

/** The files that overrides would import: of the model, the data, the loss and hooks. */
function filesIn(overrides: Overrides): string[] {
  const names = Object.entries(overrides).flatMap(([path, value]) => {
    const [setting, hook] = parsePath(path);
    if (setting !== 'hooks') return ['model', 'data', 'loss'].includes(setting!) ? [value] : [];
    if (hook !== undefined) return [hook];
    // A list of names and of [name, options], or a map by name.
    return Array.isArray(value) ? value.flat() : Object.keys(Object(value));
  });
  const texts = names.filter((name) => typeof name === 'string');
  const files = texts.filter((text) => /^\.{1,2}[\\/]/.test(text) || isAbsolute(text));
  return files.map((text) => text.replace(/#[^#/]*$/, ''));
}

function isInside(root: string, path: string): boolean {
  const inner = relative(root, path);
  return inner !== '' && !inner.startsWith('..') && !isAbsolute(inner);
}

function refused(message: string): Error {
  return trainerError('RUN_REFUSED', message);
}
