import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TrialTask } from '../../src/trial/trial-task.js';

/** A program that stands in for that of a trial: a real process, without a training. `body` may use `task` and `leave`. */
export function fakeProgram(folder: string, body: string): string {
  const file = join(folder, 'program.mjs');
  writeFileSync(
    file,
    `import { writeFileSync, appendFileSync } from 'node:fs';
     const task = JSON.parse(process.argv[2]);
     const leave = (outcome) => writeFileSync(task.folder + '/outcome.json', JSON.stringify(outcome));
     const reach = (value) => leave({ value, epochs: task.epochs, steps: task.epochs * 4, seconds: 1, finished: false });
     process.channel?.unref();
     ${body}`,
  );
  return file;
}

export function taskIn(folder: string): TrialTask {
  return {
    configFile: 'hookline.config.ts',
    point: { lr: 0.1 },
    folder,
    epochs: 3,
    monitor: 'val/loss',
    mode: 'min',
  };
}
