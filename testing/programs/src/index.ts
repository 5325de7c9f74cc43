export { bundledProgram } from './bundled-program.js';
export { type IsolatedRun, runIsolated } from './run-isolated.js';
