import { testHook } from '@hookline/hook-testkit';
// Its own tests are those that authors begin with.
import '../template/test/my-hook.test.js';
import { myHook } from '../template/src/index.js';

testHook(myHook, { package: new URL('../template/package.json', import.meta.url) });
