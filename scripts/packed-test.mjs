import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPackedProject, writeJson } from './packed-project.mjs';
import { npm, readJson, root, run, tool } from './process.mjs';

/** In the order in which they run. */
const expectedHooks = [
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
 * Trains in a project outside the workspace: proves that what would be published is complete, and that its hooks are
 * found in the project's dependencies.
 */
export async function packedTest() {
  await withPackedProject(async (project) => {
    await trainsWithEveryHook(project);
    await inspectsWhatItSaved(project);
    await runsTheReadme(project);
    await listsTheHooksInOrder(project);
    await leavesOutWhatIsNoDependency(project);
    await tool('tsc', ['-p', '.'], { cwd: project });
    console.log('its types resolve');
  });
}

/** @param {string} project */
async function trainsWithEveryHook(project) {
  const { runDir, hookCosts, record } = await train(project);
  assert.deepEqual(enabledHooks(record), expectedHooks, 'run.json lists the discovered hooks in order');
  for (const { name, calls } of hookCosts) assert.ok(calls > 0, `${name} was never called`);
  const lines = readFileSync(join(runDir, 'log.jsonl'), 'utf8').trim().split('\n');
  assert.ok(lines.length > 1 && lines.every((line) => JSON.parse(line)), 'log.jsonl holds JSON lines');
  console.log(`it trained with ${expectedHooks.join(', ')}`);
}

/** @param {string} project */
async function inspectsWhatItSaved(project) {
  const { runDir } = readJson(join(project, 'result.json'));
  const report = await npm(['exec', '--no', '--', 'hookline', 'inspect', runDir], {
    cwd: project,
    capture: true,
  });
  assert.match(report, /last\s+good$/m);
  console.log('hookline inspect finds its checkpoints good');
}

/**
 * The first example of the README, as it is written.
 * @param {string} project
 */
async function runsTheReadme(project) {
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  writeFileSync(join(project, 'readme.js'), code);
  const printed = await run(process.execPath, ['readme.js'], {
    cwd: project,
    name: 'readme.js',
    capture: true,
  });
  assert.match(printed, /epoch {2}1\/50 {2}train loss/);
  assert.match(printed, /stopped after \d+ epochs.*early-stopping: val\/loss did not improve/);
  assert.match(printed, /\{ metric: 'val\/loss', value: [\d.e-]+, epoch: \d+ \}\s*$/);
  console.log('the example of the README runs');
}

/** @param {string} project */
async function listsTheHooksInOrder(project) {
  const listing = await npm(['exec', '--no', '--', 'hookline', 'hooks'], { cwd: project, capture: true });
  assert.match(listing, new RegExp(`^Order: ${expectedHooks.join(', ')}$`, 'm'));
  console.log('hookline hooks lists them in order');
}

/** @param {string} project */
async function leavesOutWhatIsNoDependency(project) {
  const file = join(project, 'package.json');
  const { dependencies, ...rest } = readJson(file);
  delete dependencies['@hookline/hook-progress'];
  writeJson(file, { ...rest, dependencies });
  const { record } = await train(project);
  assert.deepEqual(
    enabledHooks(record),
    expectedHooks.filter((name) => name !== 'progress'),
  );
  console.log('without hook-progress in its dependencies it trained without progress');
}

/** @param {string} project */
async function train(project) {
  await run(process.execPath, ['train.js'], { cwd: project, name: 'train.js' });
  const result = readJson(join(project, 'result.json'));
  assert.equal(result.status, 'completed');
  assert.ok(result.metrics['val/loss'] < 0.5, 'the model has learned');
  return { ...result, record: readJson(join(result.runDir, 'run.json')) };
}

/** @param {{ hooks: { name: string, enabled: boolean }[] }} record */
function enabledHooks(record) {
  return record.hooks.filter(({ enabled }) => enabled).map(({ name }) => name);
}
