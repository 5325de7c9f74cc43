export type { WorkerErrorCode } from './errors.js';
export type { WorkerStart } from './host/contract.js';
export { TensorCopy } from './main/tensor-copy.js';
export type { TensorField } from './messages.js';
export { type TrainInWorkerOptions, trainInWorker, type WorkerTraining } from './train-in-worker.js';
