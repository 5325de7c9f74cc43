import { readFileSync } from 'node:fs';
import { discoveryError } from '../errors.js';

/** The fields of a package.json that discovery reads. Any of them may hold anything: somebody else wrote the file. */
export interface PackageJson {
  version?: unknown;
  trainerHooks?: unknown;
  trainerCommands?: unknown;
  dependencies?: unknown;
  optionalDependencies?: unknown;
  devDependencies?: unknown;
  peerDependencies?: unknown;
}

/** The text of a file, or undefined when it cannot be read. One system call fewer than checking first. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

export function parsePackageJson(text: string, file: string): PackageJson {
  let json: unknown;
  try {
    json = JSON.parse(withoutMark(text));
  } catch (cause) {
    throw discoveryError('PACKAGE_JSON', `${file} is not JSON: ${(cause as Error).message}.`, cause);
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json;
  throw discoveryError('PACKAGE_JSON', `${file} must hold a JSON object, such as { "name": ... }.`);
}

/** Editors on Windows leave a byte order mark, and npm reads past it. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/** A field that holds an object, such as `dependencies`; empty when it holds anything else. */
export function objectIn(field: unknown): Record<string, unknown> {
  return typeof field === 'object' && field !== null ? (field as Record<string, unknown>) : {};
}

/** The version of a package; empty when it has none. */
export function versionIn({ version }: PackageJson): string {
  // Anything else is not a version, and might steer the terminal that it is printed on.
  return typeof version === 'string' && /^[\w.+-]{1,64}$/.test(version) ? version : '';
}
