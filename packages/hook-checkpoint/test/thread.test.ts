import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { itOn, tempFolder } from '@hookline/test-support';
import { expect } from 'vitest';
import { contents } from './fixture.js';
import { programWithThread } from './program-with-thread.js';

// The program is another process, where nothing has registered the backend of npm run native.
itOn('cpu')(
  'another thread writes while training continues, and the tensors of other hooks stay intact',
  async () => {
    const root = tempFolder();
    for (const name of ['first', 'busy', 'whole', 'watched', 'cut']) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, 'package.json'), '{}');
    }
    const args = [await programWithThread(new URL('./thread-run.ts', import.meta.url)), root];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { warnings, threads, saved, mostInFlight, inFlight, runDir, busyDir, stopReasons, weights } =
      JSON.parse(stdout);

    expect(warnings.filter((line: string) => line.includes('thread'))).toEqual([]);
    // Each run has started one, and no more.
    expect(threads).toEqual([1, 1, 1, 1, 1]);
    // Told at a later step than it was saved at: training had gone on.
    expect(saved[0].toldAt).toBeGreaterThan(saved[0].savedAt);
    // The fit has waited for the last one.
    expect(contents(join(runDir, 'checkpoints')).checkpoints).toContain('epoch_2_step_10');

    // One at a time, however often one is due, and none is left out.
    expect({ mostInFlight, inFlight }).toEqual({ mostInFlight: 1, inFlight: 0 });
    expect(contents(join(busyDir, 'checkpoints')).checkpoints).toHaveLength(12);

    // The best weights that early stopping holds are saved with every checkpoint, and were not given away with one.
    expect(stopReasons[0]).toContain('early-stopping');
    expect(stopReasons).toEqual([stopReasons[0], stopReasons[0], stopReasons[0]]);
    expect(weights).toEqual([weights[0], weights[0], weights[0]]);
  },
);
