import { testHook } from '@hookline/hook-testkit';
import { notify } from '../src/index.js';

testHook(notify, {
  options: { on: ['start', 'end', 'failure', 'best', 'plateau'], webhookEnv: 'WEBHOOK_THAT_NOBODY_SETS' },
});
