// By its file: the trainer's tests use this, and the kit depends on the trainer.
export {
  fakeLogger as collectingLogger,
  type LogLine,
} from '../../../packages/hook-testkit/src/fakes/fake-logger.js';
