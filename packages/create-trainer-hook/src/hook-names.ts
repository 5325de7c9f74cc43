import { basename } from 'node:path';
import { BUILT_IN_ORDER } from '@hookline/hook-api';
import { createError } from './errors.js';

export interface HookNames {
  /** Where the package is written, as it was given: `my-hook`. */
  folder: string;
  /** `trainer-hook-my-hook` */
  package: string;
  /** `my-hook` */
  hook: string;
  /** `myHook` */
  factory: string;
  /** `MyHook` */
  type: string;
}

/** Of the package: its hook would overwrite one of them. */
const FILES = new Set(['conformance', 'index', 'options']);

/** What a constant cannot be called: words of JavaScript, and what the files of the package import or declare. */
const TAKEN = new Set(
  (
    'await break case catch class const continue debugger default delete do else enum export extends false finally for ' +
    'function if implements import in instanceof interface let new null package private protected public return static ' +
    'super switch this throw true try typeof var void while with yield arguments eval ' +
    'batch drivenHook expect hookFactory schema test testHook'
  ).split(' '),
);

/** All names, from the one that the user gives: `my-hook`, `trainer-hook-my-hook`, `@acme/my-hook` or `hooks/my-hook`. */
export function hookNames(given: string): HookNames {
  const scope = /^(@[^/\\]*)[/\\]/.exec(given)?.[1];
  if (scope !== undefined && !/^@[a-z0-9][a-z0-9._-]*$/.test(scope))
    throw badName(given, `"${scope}" cannot be a scope of npm: small letters, digits, ".", "_" and "-" only`);
  const folder = scope === undefined ? given : given.slice(scope.length + 1);
  const hook = basename(folder).replace(/^(trainer-)?hook-/, '');
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(hook))
    throw badName(
      given,
      `"${hook}" cannot be the name of a hook: small letters and digits, with "-" between words`,
    );
  if (BUILT_IN_ORDER.includes(hook)) {
    throw createError(
      'BUILT_IN_NAME',
      `"${hook}" is the name of a hook of Hookline, and a package that claims it is rejected. Choose another, such as my-${hook}.`,
    );
  }
  if (FILES.has(hook)) throw badName(given, `"${hook}" is the name of a file that every hook package has`);
  const name = `${scope === undefined ? '' : `${scope}/`}trainer-hook-${hook}`;
  if (name.length > 214) throw badName(given, 'the name of a package has at most 214 characters');
  const camelCase = hook.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const factory = TAKEN.has(camelCase) ? `${camelCase}Hook` : camelCase;
  return {
    folder,
    package: name,
    hook,
    factory,
    type: factory.replace(/^./, (letter) => letter.toUpperCase()),
  };
}

function badName(given: string, why: string): Error {
  return createError(
    'BAD_NAME',
    `${JSON.stringify(given)} is not a name for a hook: ${why}. For example: npm create trainer-hook my-hook`,
  );
}
