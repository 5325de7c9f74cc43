import { describe, expect, test } from 'vitest';
import { Cadence } from '../src/cadence.js';
import { filenameTemplate } from '../src/filename-template.js';
import { type CheckpointOptions, rulesOf, schema } from '../src/options.js';
import { isAmongBest, ranked } from '../src/ranking.js';
import { expendable, type Rotatable } from '../src/rotation.js';

describe('options', () => {
  test('have the defaults of the table in the README', () => {
    const { filename, ...rules } = rulesOf({});
    expect(rules).toEqual({
      dir: undefined,
      monitor: 'val/loss',
      monitorIsNamed: false,
      mode: 'min',
      saveTopK: 3,
      saveLast: true,
      every: { epochs: 1 },
      saveOnTrainEpochEnd: undefined,
      format: 'safetensors',
      async: true,
      onDiskFull: 'warn',
      onNonFinite: 'ignore',
      checkWeights: true,
      saveOnException: true,
      saveOnSignal: true,
    });
    expect(filename({ epoch: 3, step: 120 })).toBe('epoch_3_step_120');
  });

  test('that do not exist are named with the nearest one', () => {
    expect(() => rulesOf({ saveTopk: 2 } as CheckpointOptions)).toThrow(/Did you mean "saveTopK"/);
  });

  test.each([
    [{ every: {} }, /"every" must be one or more of \{ steps, epochs, minutes \}/],
    [{ every: { seconds: 3 } }, /"every" must be/],
    [{ every: { steps: 1.5 } }, /"every" must be/],
    [{ every: { minutes: 0 } }, /"every" must be/],
    [{ saveTopK: -2 }, /"saveTopK" must be a whole number of at least -1/],
    [{ format: 'h5' }, /"format" must be "safetensors" or "tfjs"/],
    [{ dir: '' }, /"dir" must be a string that is not empty/],
    [{ saveTopK: 0, saveLast: false }, /keep nothing/],
    [{ monitor: 'val/accuracy' }, /Say mode: "max"/],
    [{ filename: 'a/{epoch}' }, /a slash/],
    [{ filename: '{epoch' }, /a brace that belongs to no placeholder/],
    [{ filename: '.{epoch}' }, /a dot at the start/],
    [{ filename: '{epoch:3x}' }, /the format "3x" for "epoch"/],
  ])('%j is refused', (options, message) => {
    expect(() => rulesOf(options as CheckpointOptions)).toThrow(message);
  });

  test('can be checked without making the hook', () => {
    expect(schema['~standard'].validate({ every: { steps: 5, minutes: 0.5 } })).not.toHaveProperty('issues');
  });
});

describe('the filename', () => {
  const values = {
    epoch: 7,
    step: 1200,
    'val/loss': 0.123456,
    'val/accuracy': 0.98,
    'lr/adam': 1e-5,
    x: -3.1459,
  };
  test.each([
    ['epoch_{epoch}_loss_{val/loss:.2f}', 'epoch_7_loss_0.12'],
    ['{epoch:03d}-{step:06d}', '007-001200'],
    ['{lr/adam:.1e}', '1.0e-5'],
    ['{val/loss:.3g}', '0.123'],
    ['{val/loss}', '0.1235'],
    ['{x:08.2f}', '-0003.15'],
    ['{epoch:4d}', '___7'],
    ['{test/loss:.2f}', 'none'],
    ['plain', 'plain'],
  ])('%s is %s', (template, name) => {
    expect(filenameTemplate(template, false)(values)).toBe(name);
  });

  test('names the metrics when that is asked for, without making folders of their slashes', () => {
    const name = filenameTemplate('{epoch}-{val/loss:.2f}', true)(values);
    expect(name).toBe('epoch=7-val_loss=0.12');
  });

  test('has nothing that a file system would not take', () => {
    expect(filenameTemplate('a:{epoch}?. ', false)({ epoch: 1 })).toBe('a_1_');
    expect(filenameTemplate('{x}', false)({ x: Number.NaN })).toBe('nan');
    expect(filenameTemplate('é'.repeat(500), false)({})).toHaveLength(75);
  });
});

describe('the cadence', () => {
  const at = (step: number, completedEpochs = 0, minutes = 0) => ({
    step,
    completedEpochs,
    elapsedSeconds: minutes * 60,
  });

  test('is due when a multiple was crossed, also when it was jumped over', () => {
    const cadence = new Cadence({ steps: 100 });
    expect(cadence.due(at(99), 'steps')).toBeUndefined();
    expect(cadence.due(at(103), 'steps')).toBe('every 100 steps');
    cadence.mark(at(103), 'steps');
    expect(cadence.due(at(199), 'steps')).toBeUndefined();
    expect(cadence.due(at(200), 'steps')).toBe('every 100 steps');
  });

  test('counts each unit for itself', () => {
    const cadence = new Cadence({ steps: 10, minutes: 5, epochs: 1 });
    cadence.mark(at(10, 0, 1), 'steps');
    expect(cadence.due(at(11, 0, 6), 'steps', 'minutes')).toBe('every 5 minutes');
    expect(cadence.due(at(11, 1, 1), 'epochs')).toBe('every epoch');
    expect(cadence.due(at(11, 1, 1), 'steps', 'minutes')).toBeUndefined();
  });

  test('goes on counting after a resume, at another pace if there is one', () => {
    const before = new Cadence({ steps: 100 });
    before.mark(at(250), 'steps');
    const same = new Cadence({ steps: 100 });
    same.load(before.save());
    expect(same.due(at(299), 'steps')).toBeUndefined();
    expect(same.due(at(300), 'steps')).toBeDefined();
    const faster = new Cadence({ steps: 20 });
    faster.load(before.save());
    expect(faster.due(at(255), 'steps')).toBeUndefined();
    expect(faster.due(at(260), 'steps')).toBeDefined();
  });

  test('knows in the middle of an epoch whether its end will be due', () => {
    const cadence = new Cadence({ epochs: 3 });
    expect([0, 1, 2].map((epochs) => cadence.dueAfterEpoch(at(1, epochs)))).toEqual([false, false, true]);
  });
});

const RULES = { monitor: 'val/loss', mode: 'min', saveTopK: 2 } as const;

function entry(sequence: number, value?: number, changes: Partial<Rotatable> = {}): Rotatable {
  const rating = value === undefined ? undefined : { monitor: 'val/loss', mode: 'min' as const, value };
  return { sequence, lineage: 'a', path: `c${sequence}`, ...(rating && { rating }), ...changes };
}

describe('ranking', () => {
  test('has the best first, of equal ones the older, and nothing that is not finite or of another metric', () => {
    const other = { monitor: 'val/loss', mode: 'max' as const, value: 0 };
    const entries = [
      entry(1, 0.5),
      entry(2, 0.3),
      entry(3, 0.3),
      entry(4, Number.NaN),
      entry(5),
      entry(6, 0, { rating: other }),
    ];
    expect(ranked(entries, RULES).map(({ sequence }) => sequence)).toEqual([2, 3, 1]);
  });

  test('takes a value among the best when it beats the worst of them, or there is room', () => {
    const full = [entry(1, 0.5), entry(2, 0.3)];
    expect(isAmongBest(0.4, full, RULES)).toBe(true);
    expect(isAmongBest(0.5, full, RULES)).toBe(false);
    expect(isAmongBest(9, full.slice(1), RULES)).toBe(true);
    expect(isAmongBest(9, full, { ...RULES, saveTopK: -1 })).toBe(true);
    expect(isAmongBest(0, [], { ...RULES, saveTopK: 0 })).toBe(false);
  });

  test('never takes NaN or infinity, in either mode', () => {
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      expect(isAmongBest(value, [], RULES)).toBe(false);
      expect(isAmongBest(value, [], { ...RULES, mode: 'max' })).toBe(false);
    }
  });
});

describe('rotation', () => {
  const rotate = (entries: Rotatable[], changes: Partial<Parameters<typeof expendable>[1]> = {}) =>
    expendable(entries, { ...RULES, lineage: 'a', keep: [], ...changes }).map(({ path }) => path);

  test('keeps the best and the newest', () => {
    const entries = [entry(1, 0.1), entry(2, 0.5), entry(3, 0.2), entry(4, 0.4), entry(5, 0.9)];
    expect(rotate(entries)).toEqual(['c2', 'c4']);
  });

  test('keeps what was resumed from and what a pointer names', () => {
    const entries = [entry(1, 0.1), entry(2, 0.5), entry(3, 0.2), entry(4, 0.4), entry(5, 0.9)];
    expect(rotate(entries, { keep: ['c2', undefined] })).toEqual(['c4']);
  });

  test('never touches what another run saved, or what was ranked by another metric', () => {
    const accuracy = { monitor: 'val/accuracy', mode: 'max' as const, value: 0.1 };
    const entries = [
      entry(1, 9, { lineage: 'b' }),
      entry(2, 0, { rating: accuracy }),
      entry(3, 1),
      entry(4, 2),
      entry(5, 3),
      entry(6, 4),
    ];
    expect(rotate(entries)).toEqual(['c5']);
  });

  test('keeps the newest ones where there is nothing to rank by', () => {
    expect(rotate([entry(1), entry(2), entry(3, 1), entry(4)])).toEqual(['c1', 'c2']);
    expect(rotate([entry(1), entry(2), entry(3), entry(4)])).toEqual(['c1', 'c2']);
    expect(rotate([entry(1), entry(2), entry(3), entry(4)], { saveTopK: 0 })).toEqual(['c1', 'c2', 'c3']);
  });

  test('keeps everything when it is told to', () => {
    expect(rotate([entry(1, 1), entry(2, 2), entry(3, 3), entry(4)], { saveTopK: -1 })).toEqual([]);
  });

  test('never leaves a run with nothing, whatever the numbers', () => {
    for (let count = 1; count < 6; count++) {
      for (let saveTopK = 0; saveTopK < 4; saveTopK++) {
        const entries = Array.from({ length: count }, (_, index) =>
          entry(index + 1, index % 2 ? index : undefined),
        );
        expect(rotate(entries, { saveTopK }).length).toBeLessThan(count);
      }
    }
  });
});
