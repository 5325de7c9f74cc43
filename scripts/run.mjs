// Every npm script comes here: node scripts/run.mjs <task> [arguments for the tool behind it]
import { check } from './check.mjs';
import { setup } from './setup.mjs';
import { checks, tasks } from './tasks.mjs';

const [name = '', ...args] = process.argv.slice(2);
const task = tasks[name];

try {
  if (name === 'setup') {
    await setup(args);
  } else if (name === 'check') {
    await setup();
    await check(checks, args);
  } else if (task) {
    await setup();
    console.log(`[${name}] ${task.does}`);
    await task.run(args);
  } else {
    throw new Error(`there is no such task. The tasks are: setup, check, ${Object.keys(tasks).join(', ')}`);
  }
} catch (error) {
  console.error(`[${name}] failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
