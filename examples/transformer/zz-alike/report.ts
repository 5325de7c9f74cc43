import type { Claim } from './check-findings.js';
import { percent } from './percent.js';
import type { Performance } from './research/ablate-heads.js';
import type { Findings } from './research/find-induction-heads.js';
import { letterOf } from './task.js';

const COLUMN = 11;

/** What was found, as tables of text. */
export function report({ heads, previous, induction, ablations, patched }: Findings): string {
  const { whole, without } = ablations;
  const notes: Record<string, string> = {
    [previous.name]: '  previous-token head',
    [induction.name]: '  induction head',
  };
  const rows = heads.map(({ name, previous, induction }, index) => {
    const { zero, mean } = without[index]!;
    const scores = columns(previous.toFixed(2), induction.toFixed(2));
    return `${name.padEnd(8)}${scores}${performance(zero)}${performance(mean)}${notes[name] ?? ''}`;
  });
  return [
    `${''.padEnd(8)}${columns('attention', 'attention', 'without', '', 'with its')}`,
    `${'head'.padEnd(8)}${columns('to before', 'to answer', 'it', 'loss', 'mean', 'loss')}`,
    ...rows,
    `${'none'.padEnd(8 + 2 * COLUMN)}${performance(whole)}`,
    '',
    patchingReport(patched),
  ].join('\n');
}

function performance({ accuracy, loss }: Performance): string {
  return columns(percent(accuracy), loss.toFixed(2));
}

function columns(...cells: readonly string[]): string {
  return cells.map((cell) => cell.padStart(COLUMN)).join('');
}

/** The places where putting back one clean activation brings back a tenth of the answer or more. */
function patchingReport({
  clean,
  corrupted,
  question,
  same,
  answer,
  probability,
  recovered,
}: Findings['patched']): string {
  const spell = (letters: readonly number[]) => letters.map(letterOf).join('');
  const strong = [...recovered].flatMap(([path, shares]) =>
    shares.flatMap((share, position) =>
      share < 0.1
        ? []
        : [
            `${path.padEnd(36)}${`${letterOf(clean.letters[position]!)} at ${position}`.padEnd(10)}${share.toFixed(2)}`,
          ],
    ),
  );
  return [
    `clean   ${spell(clean.letters)}  ${letterOf(clean.letters[answer]!)} after the second ${letterOf(clean.letters[question]!)} has probability ${probability.clean.toFixed(2)}`,
    `spoilt  ${spell(corrupted.letters)}  with another letter at ${same} it has ${probability.corrupted.toFixed(2)}`,
    'How much of it comes back with one clean activation at one position:',
    ...strong,
  ].join('\n');
}

export function claimsReport(claims: readonly Claim[]): string {
  return claims
    .map(({ says, value, holds }) => `${holds ? 'yes' : 'NO '}  ${says.padEnd(70)}${value.toFixed(2)}`)
    .join('\n');
}
