import { testHook } from '@hookline/hook-testkit';
import { progress } from '../src/index.js';
import { FakeTerminal } from './fake-terminal.js';

testHook(progress, { options: () => ({ stream: new FakeTerminal(), refreshMs: 0 }) });
