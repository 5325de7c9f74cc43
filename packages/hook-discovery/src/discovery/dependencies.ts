import { join } from 'node:path';
import type { DependencyField } from './discovery.js';
import { type PackageFile, packagesOf } from './find-package.js';
import { objectIn, type PackageJson, parsePackageJson } from './package-json.js';

/** A direct dependency of a project. */
export interface Dependency {
  name: string;
  /** The field that decides about it. */
  from: DependencyField;
  /** Undefined when it is not installed. */
  found: PackageFile | undefined;
}

/** The direct dependencies of the project whose package.json has this text, in its order. */
export function* dependenciesOf(root: string, text: string, includeDev: boolean): Generator<Dependency> {
  const find = packagesOf(root);
  const json = parsePackageJson(text, join(root, 'package.json'));
  for (const [name, from] of declared(json, includeDev)) yield { name, from, found: find(name) };
}

/** Most dependencies are not plugins, and searching the text is cheaper than parsing it. */
export function mayHave({ text }: PackageFile, field: 'trainerHooks' | 'trainerCommands'): boolean {
  return text.includes(`"${field}"`);
}

function declared(json: PackageJson, includeDev: boolean): Map<string, DependencyField> {
  const fields = new Map<string, DependencyField>();
  const declare = (field: DependencyField) => {
    for (const name of Object.keys(objectIn(json[field]))) {
      // What is optional may be named in `dependencies` too, and is still optional.
      if (!fields.has(name) || field === 'optionalDependencies') fields.set(name, field);
    }
  };
  declare('dependencies');
  declare('optionalDependencies');
  if (includeDev) declare('devDependencies');
  declare('peerDependencies');
  return fields;
}
