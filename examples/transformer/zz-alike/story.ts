import type { Story } from './draw/picture.js';
import { percent } from './percent.js';
import type { Findings } from './research/find-induction-heads.js';
import { LETTERS } from './task.js';
import { STEPS_PER_EPOCH, type Trained } from './train.js';

/** What the picture tells: how the model and the one with one block learned, and what was found in it. */
export function storyOf(seed: number, trained: Trained, control: Trained, findings: Findings): Story {
  const { previous, induction } = findings;
  const accuracies = ({ fit }: Trained) => fit.history.map((metrics) => metrics['val/accuracy']!);
  const steps = trained.fit.history.map((_, epoch) => (epoch + 1) * STEPS_PER_EPOCH);
  const weights = Object.values(trained.model.parameters()).reduce((sum, { size }) => sum + size, 0);
  const blocks = new Set(findings.heads.map(({ block }) => block)).size;
  return {
    summary:
      `${blocks} blocks, ${findings.heads.length} heads, ${weights.toLocaleString('en')} weights, ${steps.at(-1)} steps, seed ${seed}. ` +
      `Right letters: ${percent(trained.accuracy)}; with one block ${percent(control.accuracy)}; chance ${percent(1 / LETTERS)}.`,
    findings,
    learning: {
      steps,
      accuracy: accuracies(trained),
      control: accuracies(control),
      previous: trained.heads.map((scores) => scores[previous.name]!.previous),
      induction: trained.heads.map((scores) => scores[induction.name]!.induction),
    },
    chance: 1 / LETTERS,
  };
}
