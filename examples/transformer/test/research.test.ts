import { createLogger, selectBackend, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkFindings } from '../src/check-findings.js';
import { picture } from '../src/draw/picture.js';
import { headsOf } from '../src/head.js';
import { transformer } from '../src/model/transformer.js';
import { randomFrom } from '../src/random.js';
import { repeatAccuracy } from '../src/repeat-accuracy.js';
import { claimsReport, report } from '../src/report.js';
import { type Findings, findInductionHeads } from '../src/research/find-induction-heads.js';
import { batchOf, LENGTH, LETTERS, sequencesOf } from '../src/task.js';
import { watchHeads } from '../src/watch-heads.js';
import { WRITTEN_SIZES, writtenModel } from './written-model.js';

const heads = headsOf(WRITTEN_SIZES);
const unseen = sequencesOf(randomFrom(1, 'unseen'), 24);

describe('in a model whose weights are written by hand', () => {
  let model: ReturnType<typeof writtenModel>;
  let findings: Findings;

  beforeAll(async () => {
    await selectBackend({ backend: 'wasm', root: '.' });
    model = writtenModel();
    const before = tf.memory().numTensors;
    findings = await findInductionHeads(model, WRITTEN_SIZES, 1, 16);
    expect(tf.memory().numTensors).toBe(before);
    // Some 250 forward passes: a machine that is busy with other tests takes its time.
  });

  test('the two heads are found, with scores near 1', () => {
    expect([findings.previous.name, findings.induction.name]).toEqual(['L0H1', 'L1H0']);
    expect(findings.previous.previous).toBeCloseTo(1, 2);
    expect(findings.induction.induction).toBeCloseTo(1, 2);
    // The others look at all letters alike: at n letters, an n-th of it goes to each.
    const alike = Array.from({ length: LENGTH - 1 }, (_, index) => 1 / (index + 2));
    const mean = alike.reduce((sum, share) => sum + share, 0) / alike.length;
    expect(findings.heads.find(({ name }) => name === 'L0H0')!.previous).toBeCloseTo(mean, 4);
  });

  test('without either of them the model fails, without the others it does not', () => {
    const { whole, without } = findings.ablations;
    expect(whole.accuracy).toBe(1);
    for (const { head, zero, mean } of without) {
      const isNeeded = head.name === 'L0H1' || head.name === 'L1H0';
      for (const { accuracy, loss } of [zero, mean]) {
        expect(accuracy < 0.3, head.name).toBe(isNeeded);
        expect(loss > 1, head.name).toBe(isNeeded);
      }
    }
  });

  test('the answer goes from the same letter to the one after it, and from there to the question', () => {
    const { same, answer, question, recovered, probability } = findings.patched;
    expect([same, answer, question]).toEqual([3, 4, 20]);
    expect(probability.clean).toBeGreaterThan(0.9);
    expect(probability.corrupted).toBeLessThan(0.3);
    const way: Record<string, number> = {
      embed: same,
      'blocks/0/attention/head_1/output': answer,
      'blocks/0/resid': answer,
      'blocks/1/attention/head_0/output': question,
      'blocks/1/resid': question,
    };
    expect(recovered.size).toBe(9);
    for (const [path, shares] of recovered) {
      expect(shares).toHaveLength(LENGTH);
      shares.forEach((share, position) => {
        expect(share > 0.9, `${path} at ${position}`).toBe(way[path] === position);
        expect(share < 0.2, `${path} at ${position}`).toBe(way[path] !== position);
      });
    }
  });

  test('the check that uses none of this says the same, and contradicts what is wrong', () => {
    const letters = unseen.map((sequence) => sequence.letters);
    const right = checkFindings(model, heads, findings, letters);
    const swapped = { previous: findings.induction, induction: findings.previous };
    const wrong = checkFindings(model, heads, swapped, letters);
    const untrained = checkFindings(transformer(WRITTEN_SIZES), heads, findings, letters);

    expect(right.filter(({ holds }) => !holds)).toEqual([]);
    expect(wrong.filter(({ holds }) => holds).map(({ says }) => says)).toEqual([
      expect.stringContaining('whole model'),
      expect.stringContaining('without L0H1'),
      expect.stringContaining('without L1H0'),
      expect.stringContaining('without any other'),
    ]);
    expect(untrained.filter(({ holds }) => holds).map(({ says }) => says)).toEqual([
      expect.stringContaining('the block of'),
      expect.stringContaining('without L1H0'),
      expect.stringContaining('without L0H1'),
    ]);
    expect(claimsReport(right)).not.toContain('NO');
    expect(claimsReport(wrong)).toContain('NO');
  });

  test('the report names the heads and the way of the answer', () => {
    const text = report(findings);
    expect(text).toMatch(/L0H1 .* previous-token head\n/);
    expect(text).toMatch(/L1H0 .* induction head\n/);
    expect(text).toMatch(/blocks\/1\/attention\/head_0\/output\s+\w at 20\s+(1\.0|0\.9)/);
  });

  test('the picture is well-formed and has a cell for each score', () => {
    const svg = picture({
      summary: 'Letters < 27 & "more"',
      findings,
      learning: {
        steps: [10, 20],
        accuracy: [0.1, 1],
        control: [0, 0.1],
        previous: [0.2, 0.9],
        induction: [0, 1],
      },
      chance: 1 / LETTERS,
    });

    expect(unclosed(svg)).toEqual([]);
    expect(svg).toContain('Letters &lt; 27 &amp; &quot;more&quot;');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    expect(count(svg, 'score-cell')).toBe(2 * heads.length);
    expect(count(svg, 'ablation-cell')).toBe(1 + heads.length);
    expect(count(svg, 'patching-cell')).toBe(9 * LENGTH);
  });
});

describe('in training', () => {
  test('the loss falls, and the hook that watches the heads changes nothing', async () => {
    const alone = await trainBriefly(false);
    const watched = await trainBriefly(true);

    expect(alone.losses.at(-1)!).toBeLessThan(alone.losses[0]! - 0.1);
    expect(watched.losses).toEqual(alone.losses);
    expect(watched.heads).toHaveLength(3);
    expect(Object.keys(watched.heads[0]!)).toEqual(['L0H0', 'L0H1']);
    // In the first block, at first, a head with a slope of 4 looks at the letter before with e^-4 of what it has.
    const local = Math.max(...Object.values(watched.heads[0]!).map(({ previous }) => previous));
    expect(local).toBeLessThan(0.5);
    expect(local).toBeGreaterThan(0);
  });
});

async function trainBriefly(isWatched: boolean) {
  const sizes = { ...WRITTEN_SIZES, width: 16, headSize: 4, hidden: 8, slopes: [0, 4], blocks: 1 };
  const watch = watchHeads(headsOf(sizes), unseen);
  const trainer = new Trainer({
    model: () => transformer(sizes),
    metrics: [repeatAccuracy],
    optimizer: { name: 'adamw', lr: 0.005 },
    hooks: isWatched ? [watch] : [],
    discover: false,
    runsDir: false,
    logger: createLogger({ level: 'error' }),
    seed: 1,
  });
  const random = randomFrom(1, 'train');
  const { history } = await trainer.fit({
    train: Array.from({ length: 8 }, () => batchOf(sequencesOf(random, 16))),
    validation: [batchOf(unseen)],
    epochs: 3,
  });
  return { losses: history.map((metrics) => metrics['train/loss']!), heads: watch.history };
}

/** Tags that are opened and not closed, or closed and not opened; entities that do not exist. */
function unclosed(xml: string): string[] {
  const open: string[] = [];
  const wrong = [...xml.matchAll(/&(?!(amp|lt|quot);)/g)].map(() => 'a bare &');
  const tag = /<(\/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<]*")*)(\/?)>/g;
  const rest = xml.replace(tag, (_, closing: string, name: string, _attributes, selfClosing: string) => {
    if (closing && open.pop() !== name) wrong.push(`</${name}>`);
    if (!closing && !selfClosing) open.push(name);
    return '';
  });
  return [...wrong, ...open, ...(rest.match(/</g) ?? [])];
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
