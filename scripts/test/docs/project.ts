import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { textOf } from '../../pages.mjs';
import { root } from '../../process.mjs';
import { workspacePackages } from '../../workspace.mjs';
import type { Block } from './blocks.js';

/** A block of code as the files it consists of. */
export interface Program {
  block: Block;
  /** Relative to the project. The last one is the one to run. */
  files: { path: string; code: string }[];
  runs: boolean;
}

export interface Outcome {
  stdout: string;
  stderr: string;
  error?: { text: string; stack: string };
}

const execute = promisify(execFile);

export function programOf(block: Block, runs: boolean): Program {
  const folder = `pages/${block.page.replace(/\/?README\.md$|\.md$/, '').replaceAll('/', '-') || 'readme'}`;
  // A comment that is only the name of a file starts that file.
  const parts = block.code.split(/^(?=\/\/ [\w-]+\.[mc]?[jt]s$)/m);
  const files = parts.map((code) => {
    const name = /^\/\/ ([\w-]+\.[mc]?[jt]s)$/m.exec(code)?.[1] ?? `line-${block.line}.${block.language}`;
    const isModule = /^(import|export)\b/m.test(code);
    return { path: `${folder}/${name}`, code: isModule ? code : `${code}\nexport {};\n` };
  });
  return { block, files, runs };
}

/**
 * A folder outside the workspace with the programs, each page in its own project, which depends on what the page says to
 * install.
 */
export function createProject(programs: readonly Program[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-docs-'));
  cpSync(join(root, 'scripts', 'docs-project'), folder, { recursive: true });
  linkModules(join(folder, 'node_modules'));
  for (const { block, files, runs } of programs) {
    for (const { path, code } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      // JavaScript that runs is judged by what it prints: it says nothing about its types.
      const judged = runs && !/\.[mc]?ts$/.test(path) ? `// @ts-nocheck\n${code}` : code;
      writeFileSync(join(folder, path), judged);
      writeFileSync(join(folder, dirname(path), 'package.json'), manifestOf(block.page));
    }
  }
  return folder;
}

function manifestOf(page: string): string {
  const installed = installedPackages(textOf(page)).filter((name) => name.startsWith('@hookline/'));
  const names = ['@hookline/trainer', '@hookline/hook-api', ...installed];
  return JSON.stringify({
    name: 'docs',
    type: 'module',
    dependencies: Object.fromEntries(names.map((name) => [name, '*'])),
  });
}

/** The packages that the text says one should install. */
export function installedPackages(text: string): string[] {
  const lines = [...text.matchAll(/^(?:\$ )?npm (?:install|i|add) (.+)$/gm)];
  return lines
    .flatMap((match) => match[1]!.replace(/#.*/, '').trim().split(/\s+/))
    .filter((word) => !word.startsWith('-'));
}

/** What a project could have installed: the packages of this workspace, and tfjs in the version of the trainer. */
function linkModules(modules: string): void {
  const link = (name: string, target: string) => {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(target, join(modules, name), 'junction');
  };
  for (const { folder, manifest } of workspacePackages()) link(manifest.name, folder);
  const theirs = join(root, 'packages', 'trainer', 'node_modules', '@tensorflow');
  for (const name of readdirSync(theirs)) link(`@tensorflow/${name}`, join(theirs, name));
  link('@types', join(root, 'node_modules', '@types'));
}

/** The mistakes that the compiler finds in the programs. */
export async function typeErrors(project: string): Promise<string[]> {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await execute(process.execPath, [tsc, '-p', '.'], { cwd: project }).catch(
    (failed) => failed,
  );
  // The sources of the packages are judged elsewhere, by their own settings. JavaScript need not declare types.
  return (stdout as string)
    .split('\n')
    .filter((line) => /^(pages\/|prelude\.ts)/.test(line))
    .filter((line) => !/\.[mc]?js\(.*error TS7\d{3}:/.test(line));
}

export async function runPrograms(project: string, programs: readonly Program[]): Promise<Outcome[]> {
  const tsx = join(root, 'node_modules', 'tsx', 'dist', 'loader.mjs');
  const files = programs.map((program) => program.files.at(-1)!.path);
  const args = ['--import', tsx, '--conditions=@hookline/source', 'run-all.mjs', ...files];
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  await execute(process.execPath, args, { cwd: project, env });
  return JSON.parse(readFileSync(join(project, 'outcomes.json'), 'utf8')) as Outcome[];
}
