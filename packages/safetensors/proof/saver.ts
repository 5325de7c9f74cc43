// A process that saves. With "loop" it goes on until it is killed; with "steps" it saves once for each message.
import { lockFolder, removeStaleTemps } from '../src/node.js';
import { codeOfError, save, stepsIn } from './checkpoints.js';

const [mode, parent] = process.argv.slice(2) as [string, string];

/** Settles when the message is on its way, so that what is announced is known before it happens. */
function tell(message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send!(message, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}

const watcher = {
  onCommitted: (step: number) => tell({ committed: step }),
  onPointed: (step: number) => tell({ pointed: step }),
  onRemoving: (step: number) => tell({ removing: step }),
};

const lock = await lockFolder(parent);
const removed = await removeStaleTemps(parent, { lock });
let step = ((await stepsIn(parent)).at(-1) ?? 0) + 1;
if (mode === 'loop') {
  await tell({ ready: true, removed });
  for (; ; step++) await save(parent, step, watcher);
}

// Everything that is loaded on the way is loaded before anything is made to fail, and there is something to rotate.
for (let warmUp = 0; warmUp < 5; warmUp++) await save(parent, step++, watcher);
process.on('message', async () => {
  try {
    await save(parent, step, watcher);
    await tell({ saved: step });
  } catch (error) {
    await tell({ failed: codeOfError(error) });
  }
  step++;
});
await tell({ ready: true, removed });
