import { trainerError } from '../errors.js';
import { isPlain } from './plain.js';

/** The `hooks` of a config, with another setting for the hook of this name; one that is not named there is added. */
export function withHookSetting(
  hooks: unknown,
  name: string,
  change: (setting: unknown) => unknown,
): unknown {
  if (Array.isArray(hooks)) return inList(hooks, name, change);
  const map = isPlain(hooks) ? hooks : {};
  const current = Object.hasOwn(map, name) ? map[name] : true;
  if (!isSetting(current)) throw madeInCode(name);
  return { ...map, [name]: change(current) };
}

function inList(list: readonly unknown[], name: string, change: (setting: unknown) => unknown): unknown[] {
  const places = list.flatMap((item, index) => (nameOf(item) === name ? [index] : []));
  if (places.length > 1) {
    throw trainerError(
      'BAD_CONFIG',
      `hooks.${name} cannot be set: the list has ${places.length} hooks of that name. Give them names: ["${name}", { name: "my-${name}" }].`,
    );
  }
  const [place = list.length] = places;
  const item: unknown = list[place] ?? name;
  const [what, setting = true] = Array.isArray(item) ? item : [item];
  const changed = change(setting);
  // An object that is made already can be switched, and has its options.
  if (isPlain(changed) && typeof what === 'object') throw madeInCode(name);
  return list.toSpliced(place, 1, [what, changed]);
}

/** The name by which an item of the list is set: its own, that of its hook, or its file. */
function nameOf(item: unknown): string | undefined {
  const [what, setting] = Array.isArray(item) ? item : [item];
  const { name } = Object(typeof what === 'object' || typeof what === 'function' ? what : setting) as {
    name?: unknown;
  };
  return typeof name === 'string' ? name : String(what);
}

function isSetting(setting: unknown): boolean {
  return (
    typeof setting === 'boolean' ||
    setting === undefined ||
    (isPlain(setting) && !('name' in setting && hasMethods(setting)))
  );
}

function hasMethods(value: object): boolean {
  return Object.values(value).some((each) => typeof each === 'function');
}

function madeInCode(name: string): Error {
  return trainerError(
    'BAD_CONFIG',
    `hooks.${name} cannot be set: the config file makes this hook itself. Name it with its options instead: ["./hooks/mine.ts#Mine", { ... }].`,
  );
}
