import { describe, expect, test } from 'vitest';
import { Cadence } from '../src/save/cadence.js';

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

  test('keeps counting after a resume, also at another pace', () => {
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
