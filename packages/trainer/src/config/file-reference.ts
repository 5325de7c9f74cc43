import { importExport, realFile } from '@hookline/hook-discovery';
import { dirname, relative, resolve, sep } from '@hookline/host';

/** `./model.ts#createModel`. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && /^\.{1,2}\//.test(value);
}

/** What a value of the config stands for: the export of a file, relative to the config file, or the value itself. */
export async function referenced(value: unknown, configFile: string): Promise<unknown> {
  if (!isReference(value)) return value;
  const [, path = value, exported = 'default'] = /^(.+?)(?:#([^#/]+))?$/.exec(value) ?? [];
  return importExport(realFile(resolve(dirname(configFile), path), value), exported, value);
}

/** The hooks of a config, with files as the registry takes them: relative to the project, not to the config file. */
export function hooksFrom(hooks: unknown, configFile: string, root: string): unknown {
  const inProject = (name: unknown): unknown => {
    if (!isReference(name)) return name;
    const path = relative(root, resolve(dirname(configFile), name))
      .split(sep)
      .join('/');
    return path.startsWith('../') ? path : `./${path}`;
  };
  if (Array.isArray(hooks)) {
    return hooks.map((item) =>
      Array.isArray(item) ? [inProject(item[0]), ...item.slice(1)] : inProject(item),
    );
  }
  return Object.fromEntries(
    Object.entries(Object(hooks)).map(([name, setting]) => [inProject(name), setting]),
  );
}
