import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '@hookline/hook-api/helpers';
import { discoverHooks, loadHook } from '@hookline/hook-discovery';
import type { Check } from '../check.js';
import type { Subject } from '../subject.js';

export const packed: Check = {
  name: 'packed',
  promise: 'is found and loaded in a project that has only installed the packed package',
  needs: ['manifest', 'peer-range'],
  applies: ({ settings }) => settings.packed === true,
  async run(subject) {
    const project = realpathSync(mkdtempSync(join(tmpdir(), 'hook-testkit-packed-')));
    try {
      await install(subject, project);
      return await loadProblems(subject, project);
    } catch (error) {
      return [`Packing and installing failed: ${messageOf(error)}`];
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  },
};

async function install(subject: Subject, project: string): Promise<void> {
  const { folder, json } = subject.package();
  const printed = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', project], folder);
  const [{ filename }] = JSON.parse(printed) as [{ filename: string }];
  const dependencies = { [String(json.name)]: `file:./${basename(filename)}` };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
  await npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'], project);
  // The author's own copies, which are the versions that the hook is developed with.
  for (const peer of Object.keys(Object(json.peerDependencies))) linkPeer(peer, folder, project);
}

function linkPeer(peer: string, folder: string, project: string): void {
  const places = createRequire(join(folder, 'package.json')).resolve.paths(peer) ?? [];
  const found = places.map((place) => join(place, peer)).find((place) => existsSync(place));
  const target = join(project, 'node_modules', peer);
  if (found === undefined || existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(realpathSync(found), target, 'junction');
}

async function loadProblems(subject: Subject, project: string): Promise<string[]> {
  const { json } = subject.package();
  const plugin = discoverHooks({ root: project }).packages.find(({ name }) => name === json.name);
  if (!plugin) return [`${json.name} is installed, but not found: its package.json has no "trainerHooks".`];
  if (plugin.status !== 'found') return plugin.reasons;
  const manifest = plugin.hooks.find(({ name }) => subject.names.includes(name));
  if (!manifest) return [`${json.name} is installed, but does not bring the hook.`];
  try {
    await loadHook(plugin, manifest);
    return [];
  } catch (error) {
    return [
      `${messageOf(error)} The installed package is incomplete: does "files" in package.json name what is built, and is all that it imports in dependencies or peerDependencies?`,
    ];
  }
}

async function npm(args: string[], cwd: string): Promise<string> {
  const cli = process.env.npm_execpath ?? '';
  const isNpm = basename(cli) === 'npm-cli.js';
  const [command, all] = isNpm ? [process.execPath, [cli, ...args]] : ['npm', args];
  const { stdout } = await promisify(execFile)(command, all, {
    cwd,
    shell: !isNpm && process.platform === 'win32',
  });
  return stdout;
}
