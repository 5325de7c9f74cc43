import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTarballs } from './pack.mjs';
import { beginsAProject } from './packed-init.mjs';
import { npmManager, withPackedProject, writeJson } from './packed-project.mjs';
import { canFetchYarn, nodeOptions, yarnManager } from './packed-yarn.mjs';
import { readJson, run, tool } from './process.mjs';
import { runsTheReadme } from './readme-example.mjs';

/** @typedef {import('./packed-project.mjs').Manager} Manager */

/** In the order in which they run. */
const expectedHooks = [
  'report',
  'activations',
  'gradient-monitor',
  'lr-monitor',
  'debug',
  'early-stopping',
  'console-log',
  'json-log',
  'progress',
  'checkpoint',
];

/**
 * Trains in projects outside the workspace, one installed by npm and one by Yarn: proves that what would be published is
 * complete, and that its hooks are found in the project's dependencies.
 */
export async function packedTest() {
  await withTarballs(async (tarballs) => {
    await withPackedProject(tarballs, npmManager, async (project) => {
      await worksWith(npmManager, project);
      await leavesOutWhatIsNoDependency(project);
      await tool('tsc', ['-p', '.'], { cwd: project });
      console.log('its types resolve');
      await beginsAProject(tarballs, project);
    });
    if (!(await canFetchYarn())) return;
    console.log("the same with Yarn Plug'n'Play");
    await withPackedProject(tarballs, yarnManager, async (project) => {
      await worksWith(yarnManager, project);
      await trainsFromAnotherFolder(project, await nodeOptions(project));
    });
  });
}

/**
 * @param {Manager} manager
 * @param {string} project
 */
async function worksWith(manager, project) {
  await trainsWithEveryHook(manager, project);
  await inspectsWhatItSaved(manager, project);
  await runsTheReadme(project, (args) => manager.node(project, args));
  console.log('the example of the README runs');
  await listsTheHooksInOrder(manager, project);
}

/**
 * @param {Manager} manager
 * @param {string} project
 */
async function trainsWithEveryHook(manager, project) {
  await manager.node(project, ['train.js']);
  const { runDir, hookCosts, record } = trained(project);
  assert.deepEqual(enabledHooks(record), expectedHooks, 'run.json lists the discovered hooks in order');
  for (const { name, calls } of hookCosts) assert.ok(calls > 0, `${name} was never called`);
  const lines = readFileSync(join(runDir, 'log.jsonl'), 'utf8').trim().split('\n');
  assert.ok(lines.length > 1 && lines.every((line) => JSON.parse(line)), 'log.jsonl holds JSON lines');
  console.log(`it trained with ${expectedHooks.join(', ')}`);
}

/**
 * @param {Manager} manager
 * @param {string} project
 */
async function inspectsWhatItSaved(manager, project) {
  const { runDir } = readJson(join(project, 'result.json'));
  assert.match(await manager.hookline(project, ['inspect', runDir]), /last\s+good$/m);
  console.log('hookline inspect finds its checkpoints good');
}

/**
 * @param {Manager} manager
 * @param {string} project
 */
async function listsTheHooksInOrder(manager, project) {
  const listing = await manager.hookline(project, ['hooks']);
  assert.match(listing, new RegExp(`^Order: ${expectedHooks.join(', ')}$`, 'm'));
  console.log('hookline hooks lists them in order');
}

/** @param {string} project */
async function leavesOutWhatIsNoDependency(project) {
  const file = join(project, 'package.json');
  const { dependencies, ...rest } = readJson(file);
  delete dependencies['@hookline/hook-progress'];
  writeJson(file, { ...rest, dependencies });
  await npmManager.node(project, ['train.js']);
  const { record } = trained(project);
  assert.deepEqual(
    enabledHooks(record),
    expectedHooks.filter((name) => name !== 'progress'),
  );
  console.log('without hook-progress in its dependencies it trained without progress');
}

/**
 * @param {string} project
 * @param {string} options For Node.
 */
async function trainsFromAnotherFolder(project, options) {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-elsewhere-'));
  try {
    const script = join(project, 'train.js');
    await run(process.execPath, [script], { cwd: folder, env: { NODE_OPTIONS: options }, capture: true });
    assert.deepEqual(enabledHooks(trained(folder).record), expectedHooks);
    console.log('it trained with all of them from another working directory');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * What train.js left in the folder that it was started in.
 * @param {string} folder
 */
function trained(folder) {
  const result = readJson(join(folder, 'result.json'));
  assert.equal(result.status, 'completed');
  assert.ok(result.metrics['val/loss'] < 0.5, 'the model has learned');
  return { ...result, record: readJson(join(result.runDir, 'run.json')) };
}

/** @param {{ hooks: { name: string, enabled: boolean }[] }} record */
function enabledHooks(record) {
  return record.hooks.filter(({ enabled }) => enabled).map(({ name }) => name);
}
