import assert from 'node:assert/strict';
import { withTarballs } from './pack.mjs';
import { npmManager, withPackedProject } from './packed-project.mjs';
import { npm, run } from './process.mjs';

/** The lowest that the packages promise, and the newest of each line after it. */
const versions = ['20.19.0', '22', '24', '26'];

/**
 * What packed-project/fixed-bits.js prints.
 * @typedef {object} Outcome
 * @property {string} node
 * @property {boolean} fma
 * @property {Record<string, { first: string, losses: number[], weights: string }>} results
 */

/**
 * Trains with the tarballs under other versions of Node, which npm fetches: without FMA they must give every bit that
 * this one gives. A version that cannot be fetched is a failure in CI; elsewhere it is named, and the others count.
 */
export async function nodeVersions() {
  await withTarballs((tarballs) => withPackedProject(tarballs, npmManager, comparesVersions));
}

/** @param {string} project */
async function comparesVersions(project) {
  const here = outcome(await run(process.execPath, ['fixed-bits.js'], { cwd: project, capture: true }));
  for (const [name, { losses }] of Object.entries(here.results)) {
    assert.ok(Number(losses.at(-1)) < Number(losses[0]), `${name} does not learn: ${losses}`);
  }
  console.log(`${here.node}: ${Object.keys(here.results).join(', ')}`);
  for (const version of versions) {
    const there = await trainedUnder(version, project);
    if (!there) continue;
    assert.deepEqual(there.results, here.results, `${there.node} and ${here.node} give different results`);
    console.log(`${there.node}: FMA ${there.fma ? 'on' : 'off'} by default; without it every bit the same`);
  }
}

/**
 * @param {string} version
 * @param {string} project
 */
async function trainedUnder(version, project) {
  const exec = (/** @type {string} */ argument) =>
    npm(['exec', '--yes', `--package=node@${version}`, '--', 'node', argument], {
      cwd: project,
      capture: true,
    });
  try {
    await exec('--version');
  } catch (error) {
    if (process.env.CI) throw error;
    console.log(`node ${version}: not tried, npm cannot fetch it here`);
    return undefined;
  }
  return outcome(await exec('fixed-bits.js'));
}

/**
 * The last line: tfjs prints advice about its node backend before.
 * @param {string} printed
 * @returns {Outcome}
 */
function outcome(printed) {
  return JSON.parse(String(printed.trim().split('\n').at(-1)));
}
