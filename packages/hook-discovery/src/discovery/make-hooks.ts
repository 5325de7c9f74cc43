import type { Hook, StandardSchema, StandardSchemaResult } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { discoveryError, failedInHook } from '../errors.js';
import { checkHook } from './check-hook.js';

/** A class or a factory: makes hooks from options. May carry a Standard Schema as `options`. */
export type HookMaker = (new (options: never) => Hook) | ((options: never) => Hook | Hook[]);

/** Checks the options, then makes the hooks. `who` begins every error. */
export async function makeHooks(maker: HookMaker, options: object | undefined, who: string): Promise<Hook[]> {
  const checked = await checkOptions(maker, options, who);
  let made: unknown;
  try {
    made = isClass(maker) ? new maker(checked as never) : await maker(checked as never);
  } catch (cause) {
    throw failedInHook('HOOK_FACTORY', `${who}: making it failed: ${messageOf(cause)}`, cause);
  }
  return checkHooks(made, who);
}

/** A hook or a list of them, as a list; anything else is an error. */
export function checkHooks(made: unknown, who: string): Hook[] {
  const hooks: unknown[] = Array.isArray(made) ? made : [made];
  return hooks.map((hook) => {
    try {
      checkHook(hook);
      return hook;
    } catch (cause) {
      throw failedInHook('NOT_A_HOOK', `${who}: ${messageOf(cause)}`, cause);
    }
  });
}

/**
 * Distinguishes classes from factories: by their source or, for classes compiled to functions, by a prototype with
 * methods or a parent. A compiled class with neither is taken for a factory.
 */
export function isClass(maker: HookMaker): maker is new (options: never) => Hook {
  if (/^class\b/.test(Function.prototype.toString.call(maker))) return true;
  const prototype: unknown = maker.prototype;
  if (typeof prototype !== 'object' || prototype === null) return false;
  // Generators have a prototype too, but it holds no constructor.
  if (!Object.hasOwn(prototype, 'constructor')) return false;
  return (
    Object.getOwnPropertyNames(prototype).length > 1 || Object.getPrototypeOf(prototype) !== Object.prototype
  );
}

async function checkOptions(maker: HookMaker, options: object | undefined, who: string): Promise<unknown> {
  const result = await checkedOptions(maker, options, who);
  if (!result.issues) return result.value;
  const issues = result.issues.map((issue) => {
    const where = pathOf(issue).join('.');
    return where === '' ? issue.message : `${where}: ${issue.message}`;
  });
  throw discoveryError('HOOK_OPTIONS', `${who}: its options are wrong: ${issues.join('; ')}`);
}

/** What the schema of the maker says of the options; fine where it has none. */
export async function checkedOptions(
  maker: HookMaker,
  options: object | undefined,
  who: string,
): Promise<StandardSchemaResult> {
  const schema = (maker as { options?: StandardSchema }).options?.['~standard'];
  if (typeof schema?.validate !== 'function') return { value: options };
  try {
    // Without options the schema gets an empty object, so that it can fill in its defaults.
    return await schema.validate(options ?? {});
  } catch (cause) {
    throw discoveryError('HOOK_OPTIONS', `${who}: checking its options failed: ${messageOf(cause)}`, cause);
  }
}

/** Where in the options an issue is. */
export function pathOf({ path = [] }: Issue): string[] {
  return path.map((part) => String(typeof part === 'object' ? part.key : part));
}

type Issue = NonNullable<StandardSchemaResult['issues']>[number];
