import { isBuiltin } from 'node:module';

/**
 * @typedef {object} Import
 * @property {string} specifier As it is written.
 * @property {number} line From 1.
 * @property {boolean} isType Whether only types are imported: nothing is loaded.
 */

/**
 * What a module imports, types included: by its import and export statements, and by import() of a literal. TypeScript 7
 * offers no parser to JavaScript, so this reads the text.
 * @param {string} text
 * @returns {Import[]}
 */
export function importsOf(text) {
  const code = withoutProse(text);
  const statements =
    /^(?:import|export)\b(?:[^;'"]*\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
  return [...code.matchAll(statements)].map((match) => {
    const specifier = match[1] ?? match[2] ?? '';
    const before = code.slice(0, match.index + match[0].lastIndexOf(specifier));
    const isType = /^(?:import|export)\s+type\b/.test(match[0]);
    return { specifier, line: before.split('\n').length, isType };
  });
}

/**
 * The packages a module imports, without those of Node.
 * @param {string} text
 * @returns {string[]}
 */
export function importedPackages(text) {
  return importsOf(text).flatMap(({ specifier }) => packageOf(specifier) ?? []);
}

/**
 * The package that a specifier names; undefined for a file of the same package and for a module of Node.
 * @param {string} specifier
 */
export function packageOf(specifier) {
  if (/^[.#]/.test(specifier) || isBuiltin(specifier)) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Whether importing a module does something beyond defining its names: it imports another for its effect, calls a function
 * or assigns to something that exists. Formatted code has such a statement, and no other, at the start of a line.
 * @param {string} text
 */
export function actsOnImport(text) {
  return /^(?:import\s*['"]|(?:await |void )?[\w$.]+\(|[\w$.]+ (?:\?\?|\|\|)?= )/m.test(withoutProse(text));
}

/**
 * Comments and template literals may hold text that looks like an import: only their line breaks are kept. Strings are
 * matched so that a glob such as 'encoder/**' does not begin a comment.
 * @param {string} text
 */
function withoutProse(text) {
  const tokens =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return text.replace(tokens, (token) =>
    token.startsWith("'") || token.startsWith('"') ? token : token.replace(/[^\n]/g, ''),
  );
}
