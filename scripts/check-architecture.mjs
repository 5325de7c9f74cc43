import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { browserHooks, packageRules, trainerRooms } from './architecture.mjs';
import { withPicture } from './architecture-picture.mjs';
import { findCycles } from './import-cycles.mjs';
import { importsOf, packageOf } from './imports.mjs';
import { root } from './process.mjs';
import { filesBelow, publishedPackages } from './workspace.mjs';

/**
 * @typedef {object} Rules
 * @property {import('./architecture.mjs').PackageRule[]} packages
 * @property {import('./architecture.mjs').RoomRule[]} rooms Of packages/trainer/src.
 * @property {string[]} [browserHooks] Hook packages that a browser loads.
 */

/**
 * @typedef {object} Edge
 * @property {string} from Relative to the workspace, with forward slashes.
 * @property {number} line
 * @property {string} specifier
 * @property {boolean} isType Whether it is gone when the program runs.
 * @property {string | undefined} to The file, when it is one of the same package.
 */

/**
 * Fails on an import cycle, on an import against the rules of scripts/architecture.mjs, and when the picture in
 * docs/architecture.md is not that of the rules.
 * @param {string[]} [args] `--write` writes the picture instead of comparing it.
 */
export async function checkArchitecture(args = []) {
  const rules = { packages: packageRules, rooms: trainerRooms, browserHooks };
  const page = join(root, 'docs', 'architecture.md');
  const found = readFileSync(page, 'utf8');
  const expected = withPicture(found, rules);
  if (args.includes('--write')) writeFileSync(page, expected);

  const problems = architectureProblems(root, rules);
  if (!args.includes('--write') && found !== expected) {
    problems.push(
      'docs/architecture.md differs from the rules. Write it with: npm run architecture -- --write',
    );
  }
  if (problems.length > 0) throw new Error(`\n  ${problems.join('\n  ')}`);
  console.log('no import cycles, and every import follows the arrows');
}

/**
 * @param {string} workspace
 * @param {Rules} rules
 * @returns {string[]}
 */
export function architectureProblems(workspace, rules) {
  const packages = publishedPackages(workspace);
  const edges = packages.flatMap(({ folder }) => edgesBelow(workspace, join(folder, 'src')));
  const names = new Map(packages.map(({ path, manifest }) => [manifest.name, path.replace('packages/', '')]));
  return [
    ...findCycles(edges).map((path) => `import cycle: ${path.join(' -> ')}`),
    ...packages
      .map(({ path }) => path.replace('packages/', ''))
      .filter((name) => !packageRule(name, rules))
      .map((name) => `packages/${name} has no rule in scripts/architecture.mjs`),
    ...edges.flatMap((edge) => packageProblem(edge, names, rules) ?? []),
    ...edges.flatMap((edge) => roomProblem(edge, rules) ?? []),
    ...browserEntries(rules).flatMap((entry) => nodeProblem(entry, edges) ?? []),
  ];
}

/**
 * @param {string} workspace
 * @param {string} folder
 * @returns {Edge[]}
 */
function edgesBelow(workspace, folder) {
  return filesBelow(folder)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      importsOf(readFileSync(file, 'utf8')).map(({ specifier, line, isType }) => ({
        from: slashes(relative(workspace, file)),
        line,
        specifier,
        isType,
        to: localFile(workspace, file, specifier),
      })),
    );
}

/**
 * Sources are imported by the name that they have when built: `.js` is a `.ts` here.
 * @param {string} workspace
 * @param {string} from
 * @param {string} specifier
 */
function localFile(workspace, from, specifier) {
  // Cycles are looked for in what Node loads.
  if (specifier === '#host')
    return `${slashes(relative(workspace, from)).split('/src/')[0]}/src/host/node.ts`;
  if (!specifier.startsWith('.')) return undefined;
  const file = join(dirname(from), specifier);
  const source = file.replace(/\.js$/, '.ts');
  return slashes(relative(workspace, existsSync(source) ? source : file));
}

/**
 * @param {Edge} edge
 * @param {Map<string, string>} names Folders below packages/ by package name.
 * @param {Rules} rules
 */
function packageProblem({ from, line, specifier }, names, rules) {
  const target = names.get(packageOf(specifier) ?? '');
  const source = String(from.split('/')[1]);
  const rule = packageRule(source, rules);
  if (target === undefined || !rule || rule.imports.includes(target)) return undefined;
  const allowed = rule.imports.join(', ') || 'no package of this workspace';
  return `${from}:${line} imports ${specifier}: ${rule.name} may import ${allowed}`;
}

/**
 * @param {string} name
 * @param {Rules} rules
 */
function packageRule(name, { packages }) {
  const own = packages.find((rule) => rule.name === name);
  return own ?? (name.startsWith('hook-') ? packages.find((rule) => rule.name === 'hook-*') : undefined);
}

const trainer = 'packages/trainer/src/';

/**
 * @param {Edge} edge
 * @param {Rules} rules
 */
function roomProblem({ from, line, specifier, to }, { rooms }) {
  if (!from.startsWith(trainer) || !to?.startsWith(trainer)) return undefined;
  const source = roomOf(from, rooms);
  const target = roomOf(to, rooms);
  const where = `${from}:${line} imports ${to.slice(trainer.length)}`;
  if (!source) return `${from} is in no room of scripts/architecture.mjs`;
  if (!target) return `${where}, which is in no room of scripts/architecture.mjs`;
  if (source === target) return undefined;
  const below = rooms.slice(rooms.indexOf(source) + 1).filter(({ name }) => !source.not?.includes(name));
  if (!below.includes(target)) {
    return `${where}: ${source.name} may import ${below.map(({ name }) => name).join(', ') || 'no other room'}`;
  }
  if (target.door && specifier !== target.door) {
    return `${where}: other rooms import ${target.name} through ${target.door} only`;
  }
  return undefined;
}

/**
 * The files of packages that a browser loads first.
 * @param {Rules} rules
 */
function browserEntries({ packages, browserHooks: hooks = [] }) {
  const named = packages.flatMap(({ name, browser = [] }) => browser.map((entry) => `${name}/src/${entry}`));
  return [...named, ...hooks.map((name) => `${name}/src/index`)].map((path) => `packages/${path}.ts`);
}

/**
 * How a browser that loads the entry gets to a module of Node; undefined when it does not.
 * @param {string} entry
 * @param {Edge[]} edges
 */
function nodeProblem(entry, edges) {
  /** @type {Map<string, string[]>} */
  const ways = new Map([[entry, [entry]]]);
  for (const [file, way] of ways) {
    for (const { from, line, specifier, to, isType } of edges) {
      if (from !== file || isType) continue;
      if (isBuiltin(specifier)) return `a browser would need ${specifier}: ${way.join(' -> ')}:${line}`;
      const next = specifier === '#host' ? to?.replace(/node\.ts$/, 'browser.ts') : to;
      if (next !== undefined && !ways.has(next)) ways.set(next, [...way, next]);
    }
  }
  return undefined;
}

/**
 * @param {string} file
 * @param {import('./architecture.mjs').RoomRule[]} rooms
 */
function roomOf(file, rooms) {
  const path = file.slice(trainer.length);
  const [folder = '', ...rest] = path.split('/');
  if (rest.length > 0) return rooms.find(({ name, files }) => !files && name === folder);
  return rooms.find(({ files }) => files?.includes(path.replace(/\.ts$/, '')));
}

/** @param {string} path */
function slashes(path) {
  return path.replaceAll('\\', '/');
}
