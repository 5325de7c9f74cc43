import type { FitOptions, FitResult, Trainer } from '@hookline/trainer';
import { host } from '#host';
import { workerError } from '../errors.js';
import type { Port } from '../host/contract.js';
import { type FromWorker, MARK, type ToWorker, type TrainMessage } from '../messages.js';
import { toPlain } from '../plain-error.js';
import { Outbox } from './outbox.js';
import { createRelay, type Relay } from './relay.js';

/** A trainer, and what it is to be fitted to. */
export interface Training {
  trainer: Pick<Trainer, 'fit' | 'addHook' | 'hooks'>;
  fit: FitOptions;
}

export type TrainingModule<Settings> = (settings: Settings) => Training | Promise<Training>;

let isServing = false;

/** Waits for the main side, and trains when it says so. Does nothing where no `trainInWorker` has started this worker. */
export function serve(make: TrainingModule<never>): void {
  if (isServing) {
    throw workerError('NOT_A_TRAINING', 'defineTraining() was called twice: a worker trains one thing.');
  }
  let outbox: Outbox | undefined;
  let relay: Relay | undefined;
  const main = host.mainSide((data) => {
    const message = (data as { [MARK]?: ToWorker } | undefined)?.[MARK];
    if (message === undefined || main === undefined) return;
    if (message.type === 'done-with') outbox?.answered(message.events);
    else if (message.type === 'verb') relay?.act(message);
    else {
      const port: Port = { post: (each) => main.post({ [MARK]: each }) };
      outbox = new Outbox(port);
      relay = createRelay(message, outbox);
      void run(make, message, relay, outbox, port);
    }
  });
  isServing = main !== undefined;
  main?.post({ [MARK]: { type: 'hello' } satisfies FromWorker });
}

async function run(
  make: TrainingModule<never>,
  message: TrainMessage,
  relay: Relay,
  outbox: Outbox,
  port: Port,
): Promise<void> {
  let answer: FromWorker;
  try {
    await host.holdLife(message.life);
    port.post({ type: 'alive' } satisfies FromWorker);
    const { trainer, fit } = checkTraining(await make(message.settings as never));
    for (const name of message.hooks) giveWay(trainer, name);
    trainer.addHook(relay.hook);
    const result: FitResult = await trainer.fit(fit);
    answer = { type: 'ended', result };
  } catch (error) {
    answer = { type: 'failed', error: toPlain(error) };
  }
  outbox.flush();
  port.post(answer);
}

/** A hook that is on only because it is installed is off here when the main side has one of its name. */
function giveWay({ hooks }: Training['trainer'], name: string): void {
  const here = hooks.list().find((entry) => entry.name === name);
  if (here?.source === 'plugin') hooks.disable(name);
  else if (here?.enabled) {
    throw workerError(
      'WORKER_HOOK',
      `Hook "${name}" is passed to trainInWorker() and in the training module, too. Leave one of them out.`,
    );
  }
}

function checkTraining(made: unknown): Training {
  const { trainer, fit } = Object(made) as Partial<Training>;
  if (typeof trainer?.fit === 'function' && typeof fit === 'object') return { trainer, fit };
  throw workerError(
    'NOT_A_TRAINING',
    'The function given to defineTraining() did not return a training. Expected { trainer: new Trainer({...}), fit: { train, epochs, ... } }.',
  );
}
