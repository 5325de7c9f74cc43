import { compiledModule } from './compile.js';

// After an install, so that no test has to wait for the compiler.
await compiledModule('simd');
await compiledModule('fma');
