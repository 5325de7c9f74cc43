import {
  assertHook,
  type Hook,
  HooklineError,
  type StandardSchema,
  type StandardSchemaResult,
} from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';

/** A class or a factory: makes hooks from options. May carry a Standard Schema as `options`. */
export type HookMaker = (new (options: never) => Hook) | ((options: never) => Hook | Hook[]);

/** Checks the options, then makes the hooks. `who` begins every error. */
export async function makeHooks(maker: HookMaker, options: object | undefined, who: string): Promise<Hook[]> {
  const checked = await checkOptions(maker, options, who);
  let made: unknown;
  try {
    made = isClass(maker) ? new maker(checked as never) : await maker(checked as never);
  } catch (cause) {
    // A factory that checks its options itself has already said what is wrong with them.
    throw new HooklineError(
      codeOf(cause) ?? 'HOOK_FACTORY',
      `${who}: making it failed: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  }
  return checkHooks(made, who);
}

/** A hook or a list of them, as a list; anything else is an error. */
export function checkHooks(made: unknown, who: string): Hook[] {
  const hooks: unknown[] = Array.isArray(made) ? made : [made];
  return hooks.map((hook) => {
    try {
      assertHook(hook);
      return hook;
    } catch (cause) {
      throw new HooklineError(codeOf(cause) ?? 'NOT_A_HOOK', `${who}: ${messageOf(cause)}`, { cause });
    }
  });
}

/**
 * Tells classes from factories: by their source, or, for classes compiled to functions, by a prototype with
 * methods or a parent. A compiled class with neither cannot be told from a factory.
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
  const schema = (maker as { options?: StandardSchema }).options?.['~standard'];
  if (typeof schema?.validate !== 'function') return options;
  let result: StandardSchemaResult;
  try {
    // No options are empty options, so that a schema can fill in its defaults.
    result = await schema.validate(options ?? {});
  } catch (cause) {
    throw new HooklineError('HOOK_OPTIONS', `${who}: checking its options failed: ${messageOf(cause)}`, {
      cause,
    });
  }
  if (!result.issues) return result.value;
  const issues = result.issues.map(({ message, path = [] }) => {
    const where = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return where === '' ? message : `${where}: ${message}`;
  });
  throw new HooklineError('HOOK_OPTIONS', `${who}: its options are wrong: ${issues.join('; ')}`);
}

/** The code of an error of ours, thrown by this copy of hook-api or another. */
function codeOf(error: unknown): string | undefined {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return name === 'HooklineError' && typeof code === 'string' ? code : undefined;
}
