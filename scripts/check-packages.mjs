import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { actsOnImport, importedPackages } from './imports.mjs';
import { filesBelow, isHookPackage, publishedPackages } from './workspace.mjs';

/**
 * The parts of hook-api and hook-discovery this needs, read from their sources: the check must not need a build.
 * @typedef {object} HookContract
 * @property {(field: unknown, packageName: string) => { hooks: { name: string, export: string }[],
 *   problems: { path: string, message: string }[], warnings: { path: string, message: string }[] }} validateManifest
 * @property {Readonly<Record<string, string>>} BUILT_IN_PACKAGES
 */

const shape = ['README.md', 'tsconfig.json', 'tsconfig.build.json', 'tsup.config.ts', 'src/index.ts'];

const common = {
  license: 'Apache-2.0',
  type: 'module',
  engines: { node: '>=20.19.0' },
};

const scripts = { build: 'tsup && tsc -p tsconfig.build.json', typecheck: 'tsc --noEmit' };

const mostLines = 400;

/** Every package under packages/ has the same shape and keeps the dependency rules; names all that do not. */
export async function checkPackages() {
  const { tsImport } = await import('tsx/esm/api');
  /** @type {HookContract} */
  const contract = {
    ...(await tsImport('../packages/hook-api/src/manifest.ts', import.meta.url)),
    ...(await tsImport('../packages/hook-discovery/src/built-in-packages.ts', import.meta.url)),
  };
  const packages = publishedPackages();
  const problems = packages.flatMap((each) =>
    packageProblems(each, contract).map((problem) => `${each.path}: ${problem}`),
  );
  if (problems.length > 0) throw new Error(`\n  ${problems.join('\n  ')}`);
  console.log(`${packages.length} packages have the same shape`);
}

/**
 * @param {import('./workspace.mjs').WorkspacePackage} each
 * @param {HookContract} contract
 * @returns {string[]}
 */
export function packageProblems(each, contract) {
  const sources = filesBelow(join(each.folder, 'src'));
  return [
    ...shapeProblems(each),
    ...manifestProblems(each),
    ...sources.flatMap((file) => sourceProblems(each, file)),
    ...(each.path.endsWith('/hook-api') ? hookApiProblems(each.manifest) : []),
    ...(isHookPackage(each.manifest.name) ? hookPackageProblems(each, contract) : []),
  ];
}

/** @param {import('./workspace.mjs').WorkspacePackage} each */
function shapeProblems({ folder }) {
  const missing = shape.filter((file) => !existsSync(join(folder, file))).map((file) => `${file} is missing`);
  const tests = filesBelow(join(folder, 'test')).filter((file) => file.endsWith('.test.ts'));
  return tests.length > 0 ? missing : [...missing, 'test/ holds no *.test.ts'];
}

/** @param {import('./workspace.mjs').WorkspacePackage} each */
function manifestProblems(each) {
  const { manifest } = each;
  const problems = [];
  const fields = { ...common, files: published(each), sideEffects: sideEffects(each) };
  for (const [field, expected] of Object.entries(fields)) {
    if (!isDeepStrictEqual(manifest[field], expected))
      problems.push(shouldBe(field, expected, manifest[field]));
  }
  for (const [name, expected] of Object.entries(scripts)) {
    const found = manifest.scripts?.[name];
    if (found !== expected) problems.push(shouldBe(`scripts.${name}`, expected, found));
  }
  for (const field of ['description', 'version']) {
    if (!manifest[field]) problems.push(`${field} is missing in package.json`);
  }
  for (const field of ['repository', 'homepage', 'bugs']) {
    if (manifest[field]) problems.push(`${field} in package.json is written when it is packed: remove it`);
  }
  if (manifest.private) problems.push('is private, but packages/ holds what is published');
  return [
    ...problems,
    ...exportProblems(each.folder, manifest.exports ?? {}),
    ...importProblems(each.folder, manifest.imports),
  ];
}

/**
 * What is built, and a web page, which is published as it is.
 * @param {import('./workspace.mjs').WorkspacePackage} each
 */
function published({ folder }) {
  return existsSync(join(folder, 'page')) ? ['dist', 'page'] : ['dist'];
}

/**
 * What bundlers must not leave out although nobody uses a name of it: sources that do something when they are imported,
 * and the built files that hold them. One that is an entry has a file of that name; the others may be in any file.
 * @param {import('./workspace.mjs').WorkspacePackage} each
 * @returns {false | string[]}
 */
function sideEffects({ folder, manifest }) {
  const sources = filesBelow(join(folder, 'src'))
    .filter((file) => file.endsWith('.ts') && actsOnImport(readFileSync(file, 'utf8')))
    .map((file) => relative(join(folder, 'src'), file).replaceAll('\\', '/').replace(/\.ts$/, ''))
    .sort();
  if (sources.length === 0) return false;
  const built = sources.map((name) =>
    `./${name}` in (manifest.exports ?? {}) ? `./dist/${name}.js` : './dist/*.js',
  );
  return [...new Set(built), ...sources.map((name) => `./src/${name}.ts`)];
}

/**
 * A package whose sources have a door to the host says by conditions which half is loaded: Node's, or that of browsers,
 * which is for everything else, too. The entries for tfjs are checked by the build, which needs them.
 * @param {string} folder
 * @param {Record<string, unknown>} [imports]
 */
function importProblems(folder, imports = {}) {
  const hasDoor = existsSync(join(folder, 'src/host/browser.ts'));
  const half = (/** @type {string} */ name) => ({
    source: `./src/host/${name}.ts`,
    built: `./dist/host/${name}.js`,
  });
  const [node, browser] = [half('node'), half('browser')];
  const expected = hasDoor && {
    '@hookline/source': { browser: browser.source, worker: browser.source, default: node.source },
    browser: browser.built,
    worker: browser.built,
    node: node.built,
    default: browser.built,
  };
  const found = imports['#host'];
  const isRight = JSON.stringify(found ?? false) === JSON.stringify(expected);
  const unknown = Object.keys(imports).filter((name) => name !== '#host' && !name.startsWith('#tfjs-'));
  return [
    ...(isRight ? [] : [shouldBe('imports["#host"]', expected || 'absent', found)]),
    ...unknown.map((name) => `imports["${name}"] in package.json is neither #host nor a package of tfjs`),
  ];
}

// The order counts, so it is compared as text: the first condition that matches wins.
/**
 * @param {string} folder
 * @param {Record<string, unknown>} exported
 */
function exportProblems(folder, exported) {
  const problems = [];
  if (exported['./package.json'] !== './package.json') {
    problems.push('exports must have "./package.json": tools read it through the map');
  }
  if (!exported['.']) problems.push('exports must have "."');
  for (const [path, target] of Object.entries(exported)) {
    if (path === './package.json') continue;
    // The entry of a room is the index of its folder.
    const isFolder = path === '.' || existsSync(join(folder, 'src', path, 'index.ts'));
    const name = isFolder ? `${path}/index`.replace(/^\.\//, '') : path.slice(2);
    const expected = {
      '@hookline/source': `./src/${name}.ts`,
      types: `./dist/${name}.d.ts`,
      default: `./dist/${name}.js`,
    };
    if (JSON.stringify(target) !== JSON.stringify(expected)) {
      problems.push(shouldBe(`exports["${path}"]`, expected, target));
    }
  }
  return problems;
}

/**
 * @param {import('./workspace.mjs').WorkspacePackage} each
 * @param {string} file
 */
function sourceProblems({ folder, manifest }, file) {
  const where = relative(folder, file).replaceAll('\\', '/');
  const text = readFileSync(file, 'utf8');
  const problems = [];

  const lines = text.trimEnd().split('\n').length;
  if (lines > mostLines) problems.push(`${where} has ${lines} lines; the limit is ${mostLines}`);

  const { dependencies, peerDependencies, optionalDependencies, name } = manifest;
  const declared = { ...dependencies, ...peerDependencies, ...optionalDependencies };
  for (const imported of new Set(importedPackages(text))) {
    if (imported !== name && !(imported in declared)) {
      problems.push(`${where} imports ${imported}, which is neither a dependency nor a peer dependency`);
    }
  }
  return problems;
}

/** @param {Record<string, any>} manifest */
function hookApiProblems(manifest) {
  return ['dependencies', 'optionalDependencies']
    .filter((field) => Object.keys(manifest[field] ?? {}).length > 0)
    .map((field) => `hook-api has ${field}: the contract has no runtime dependency`);
}

/**
 * @param {import('./workspace.mjs').WorkspacePackage} each
 * @param {HookContract} contract
 */
function hookPackageProblems({ manifest, folder }, { validateManifest, BUILT_IN_PACKAGES }) {
  const problems = [];
  if (!manifest.keywords?.includes('trainer-hook')) problems.push('keywords must have "trainer-hook"');
  if (!manifest.peerDependencies?.['@hookline/hook-api']) {
    problems.push('peerDependencies must have @hookline/hook-api');
  }
  for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    if (manifest[field]?.['@hookline/trainer']) {
      problems.push(`${field} has @hookline/trainer: a hook knows only the contract`);
    }
  }
  if (manifest.trainerHooks === undefined) return [...problems, 'package.json has no "trainerHooks"'];

  const report = validateManifest(manifest.trainerHooks, manifest.name);
  problems.push(...hookShapeProblems(folder, report.hooks.length));
  for (const { path, message } of [...report.problems, ...report.warnings])
    problems.push(`${path}: ${message}`);
  const tests = filesBelow(join(folder, 'test')).map((file) => readFileSync(file, 'utf8'));
  for (const hook of report.hooks) {
    if (tests.length > 0 && !tests.some((text) => text.includes(`testHook(${hook.export}`))) {
      problems.push(`test/ does not hold "${hook.name}" to the promises of a hook: testHook(${hook.export})`);
    }
    if (BUILT_IN_PACKAGES[hook.name] !== manifest.name) {
      problems.push(
        `hook "${hook.name}" is not in BUILT_IN_PACKAGES of hook-discovery as one of ${manifest.name}`,
      );
    }
  }
  return problems;
}

/**
 * A package of one hook has a session and options; one that raises errors of its own has a table of their codes.
 * @param {string} folder
 * @param {number} hooks
 */
function hookShapeProblems(folder, hooks) {
  const has = (/** @type {string} */ file) => existsSync(join(folder, file));
  const expected = hooks === 1 ? ['src/session.ts', 'src/options.ts'] : [];
  const isRaised = (/** @type {string} */ file) =>
    !/[\\/]errors\.ts$/.test(file) && readFileSync(file, 'utf8').includes('new HooklineError(');
  return [
    ...expected.filter((file) => !has(file)).map((file) => `${file} is missing`),
    ...filesBelow(join(folder, 'src'))
      .filter(isRaised)
      .map(
        (file) => `${relative(folder, file)} makes its own HooklineError: codes belong into src/errors.ts`,
      ),
  ];
}

/**
 * @param {string} field
 * @param {unknown} expected
 * @param {unknown} found
 */
function shouldBe(field, expected, found) {
  return `${field} in package.json should be ${JSON.stringify(expected)}, but is ${JSON.stringify(found)}`;
}
