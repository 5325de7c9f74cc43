import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTarballs } from './pack.mjs';
import { writeJson } from './packed-project.mjs';
import { npm, pnpm, readJson, root, run } from './process.mjs';
import { runsTheReadme } from './readme-example.mjs';
import { withRegistry } from './registry.mjs';
import { idOf, missingIn, publish } from './release.mjs';

/** @typedef {import('./registry.mjs').Registry} Registry */

/**
 * Publishes every package to a registry on this machine, then does what people do: installs by name with npm and pnpm, runs
 * the example of the README, makes a hook with `npm create trainer-hook`, tests and publishes it, and trains with it in a
 * project of `hookline init` that has only installed it.
 */
export async function publishCheck() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-published-')));
  try {
    await withRegistry(async (registry) => {
      await publishes(registry);
      await installsWithNpm(folder, registry);
      await installsWithPnpm(folder, registry);
      await publishesANewHook(folder, registry);
      await trainsWithTheNewHook(folder, registry);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const hook = 'loss-smoother';

/** @param {Registry} registry */
async function publishes({ address, env }) {
  await withTarballs(async (tarballs) => {
    const missing = await missingIn(address);
    assert.equal(missing.length, tarballs.size, 'a dry run of the release names every package');
    await publish(missing, tarballs, ['--silent'], env);
    assert.deepEqual((await missingIn(address)).map(idOf), [], 'a second release would publish nothing');
    console.log(`${missing.length} packages are published; a second release would publish nothing`);
  });
}

/**
 * @param {string} folder
 * @param {Registry} registry
 */
async function installsWithNpm(folder, { env }) {
  const project = newProject(folder, 'with-npm');
  for (const line of readmeInstalls()) await npm(['install', ...line], { cwd: project, env, capture: true });
  await runsTheReadme(project, nodeIn(project));
  console.log('npm install, as the README says it, and the example of the README runs');
}

/**
 * @param {string} folder
 * @param {Registry} registry
 */
async function installsWithPnpm(folder, { env, npmrc }) {
  const project = newProject(folder, 'with-pnpm');
  writeFileSync(join(project, '.npmrc'), npmrc);
  // A workspace of its own, and packages that were published a moment ago.
  writeFileSync(
    join(project, 'pnpm-workspace.yaml'),
    `packages: []\nminimumReleaseAge: 0\nstoreDir: ${JSON.stringify(join(folder, 'pnpm-store'))}\n`,
  );
  for (const line of readmeInstalls()) await pnpm(['add', ...line], { cwd: project, env, capture: true });
  await runsTheReadme(project, nodeIn(project));
  console.log('the same with pnpm add');
}

/**
 * @param {string} folder
 * @param {Registry} registry
 */
async function publishesANewHook(folder, { env }) {
  const work = join(folder, 'work');
  mkdirSync(work);
  await npm(['create', '--yes', 'trainer-hook', hook], { cwd: work, env, capture: true });
  const made = join(work, hook);
  await npm(['install'], { cwd: made, env, capture: true });
  await npm(['run', 'typecheck'], { cwd: made, env, capture: true });
  // Builds and tests it first, by its prepublishOnly.
  await npm(['publish'], { cwd: made, env, capture: true });
  console.log(`npm create trainer-hook ${hook}: it builds, keeps the promises of the kit, and is published`);
}

/**
 * @param {string} folder
 * @param {Registry} registry
 */
async function trainsWithTheNewHook(folder, { env }) {
  const project = join(folder, 'my-project');
  const inProject = { cwd: project, env, capture: true };
  await npm(['exec', '--yes', '--package=@hookline/trainer', '--', 'hookline', 'init', project], {
    ...inProject,
    cwd: folder,
  });
  await npm(['install', `trainer-hook-${hook}`], inProject);
  const listing = await npm(['exec', '--no', '--', 'hookline', 'hooks'], inProject);
  assert.match(
    listing,
    new RegExp(`^Order: .*\\b${hook}, early-stopping, `, 'm'),
    'it is listed before the built-ins',
  );
  await npm(['exec', '--no', '--', 'hookline', 'train'], inProject);
  const [run = ''] = readdirSync(join(project, 'runs')).filter((name) => /^\d/.test(name));
  const { status, hooks } = readJson(join(project, 'runs', run, 'run.json'));
  assert.match(status, /completed|stopped/);
  assert.ok(
    hooks.some((/** @type {any} */ each) => each.name === hook && each.enabled),
    'run.json names the hook',
  );
  const log = readFileSync(join(project, 'runs', run, 'log.jsonl'), 'utf8');
  assert.match(log, new RegExp(`"${hook}/loss":`), 'what it logs is in the log');
  console.log('hookline init: the project finds the new hook without configuration, and trains with it');
}

/**
 * @param {string} folder
 * @param {string} name
 */
function newProject(folder, name) {
  const project = join(folder, name);
  mkdirSync(project);
  writeJson(join(project, 'package.json'), { name, private: true, type: 'module' });
  return project;
}

/** @param {string} project */
function nodeIn(project) {
  return (/** @type {string[]} */ args) =>
    run(process.execPath, args, { cwd: project, name: args.join(' '), capture: true });
}

/** What the README installs, line by line. */
function readmeInstalls() {
  const [, commands = ''] = /^```sh\n(.*?)^```$/ms.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  const lines = [...commands.matchAll(/^npm install ([^#\n]+)/gm)].map(([, names = '']) =>
    names.trim().split(/\s+/),
  );
  assert.ok(lines.length > 0, 'the README begins with npm install');
  return lines;
}
