import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean, kindsOf, type ManifestHook } from '@hookline/hook-api';
import { validateManifest } from '@hookline/hook-api/manifest';
import type { Check } from '../check.js';
import type { Subject } from '../subject.js';

export const manifest: Check = {
  name: 'manifest',
  promise: 'package.json names the hook, its file, its export and its kinds',
  needs: ['events'],
  async run(subject) {
    const { json, file, folder } = subject.package();
    if (json.trainerHooks === undefined) {
      const [name = 'my-hook'] = subject.names;
      return [
        `${file} has no "trainerHooks", so the hook is not found. Add: "trainerHooks": { "schema": 1, "hooks": { "${name}": "./dist/index.js" } }`,
      ];
    }
    const report = validateManifest(json.trainerHooks, String(json.name));
    const problems = [...report.problems, ...report.warnings].map(
      ({ path, message }) => `${file}: ${path}: ${message}`,
    );
    if (problems.length > 0) return problems;
    const entry = report.hooks.find(({ name }) => subject.names.includes(name));
    if (!entry) return [wrongName(subject, file, report.hooks)];
    return [
      ...keywordProblems(json, file),
      ...exportsProblems(json, file),
      ...kindProblems(subject, entry, file),
      ...(await exportProblems(subject, entry, folder)),
    ];
  },
};

function wrongName({ names: [name = ''] }: Subject, file: string, hooks: readonly ManifestHook[]): string {
  const keys = hooks.map((hook) => hook.name);
  return `${file}: the hook's name is "${name}", and trainerHooks names ${keys.map((key) => `"${key}"`).join(', ')}.${didYouMean(name, keys)} The key must equal the name of the hook.`;
}

function keywordProblems({ keywords }: Record<string, unknown>, file: string): string[] {
  if (Array.isArray(keywords) && keywords.includes('trainer-hook')) return [];
  return [`${file}: keywords lacks "trainer-hook", by which people find hooks in the registry. Add it.`];
}

function exportsProblems({ exports }: Record<string, unknown>, file: string): string[] {
  if (typeof exports !== 'object' || exports === null || './package.json' in exports) return [];
  return [`${file}: exports hides package.json from tools. Add: "./package.json": "./package.json"`];
}

function kindProblems(subject: Subject, { name, kinds }: ManifestHook, file: string): string[] {
  if (kinds === undefined) return [];
  const actual = [...new Set(subject.make().flatMap(kindsOf))];
  const missing = actual.filter((kind) => !kinds.includes(kind));
  const extra = kinds.filter((kind) => !actual.includes(kind));
  if (missing.length + extra.length === 0) return [];
  const hint = extra.length > 0 ? ' If an option switches it on, pass that option to testHook.' : '';
  return [
    `${file}: kinds of "${name}" is [${kinds.join(', ')}], but its methods are of the kinds [${actual.join(', ')}]. Correct "kinds".${hint}`,
  ];
}

/** The source counts as well as what is built from it: tests run before a build. */
async function exportProblems(
  { factory, surroundings }: Subject,
  { name, entry, export: exported }: ManifestHook,
  folder: string,
): Promise<string[]> {
  const source = entry.replace(/^\.\/dist\/(.*)\.[cm]?js$/, './src/$1.ts');
  const found = [source, entry].find((path) => existsSync(join(folder, path)));
  if (found === undefined)
    return [
      `trainerHooks.hooks["${name}"].entry is ${entry}, which does not exist${source === entry ? '' : `, nor does ${source}`}. Correct the path, or build the package first.`,
    ];
  const module = await surroundings.importModule(join(folder, found));
  const value = module[exported];
  if (value === factory || (found === entry && typeof value === 'function')) return [];
  const names = Object.keys(module);
  const which =
    value === undefined
      ? `has no export "${exported}".${didYouMean(exported, names)}`
      : `exports another "${exported}".`;
  const own = names.find((each) => module[each] === factory);
  const fix = own === undefined ? 'Export the factory from it.' : `Write "export": "${own}".`;
  return [`trainerHooks.hooks["${name}"]: ${found} ${which} ${fix}`];
}
