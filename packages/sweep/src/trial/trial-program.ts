import { join } from 'node:path';
import { messageOf } from '@hookline/hook-api/helpers';
import { thisOwner } from '../journal/owner.js';
import { replaceFile } from '../replace-file.js';
import { runTrial } from './run-trial.js';
import { writeProcess } from './trial-process.js';
import { OUTCOME_FILE, type TrialTask } from './trial-task.js';

const task = JSON.parse(process.argv[2]!) as TrialTask;
const file = join(task.folder, OUTCOME_FILE);

// The sweep was killed: as with Ctrl-C, this saves what it has, and ends.
const onOrphaned = () => process.kill(process.pid, 'SIGTERM');
process.once('disconnect', onOrphaned);

writeProcess(task.folder, thisOwner());

function leave(outcome: object): void {
  replaceFile(file, JSON.stringify(outcome));
}

try {
  const outcome = await runTrial(task);
  if (outcome) leave(outcome);
} catch (error) {
  console.error(error);
  leave({ error: messageOf(error) });
  process.exitCode = 1;
}
// Otherwise the channel to the sweep would keep this process alive.
process.off('disconnect', onOrphaned);
if (process.connected) process.disconnect();
