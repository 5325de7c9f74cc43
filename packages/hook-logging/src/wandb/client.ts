import { importPackage } from '#host';
import { loggingError } from '../errors.js';

/** The part of a Weights & Biases client that is used; `@wandb/sdk` has it. */
export interface WandbClient {
  init(options: { readonly [name: string]: unknown }): WandbRun | Promise<WandbRun>;
}

export interface WandbRun {
  log(values: Record<string, number>, step?: number): unknown;
  /** Settles when everything is sent; a code other than 0 marks the run as failed. */
  finish(code?: number): unknown;
}

const PACKAGE = '@wandb/sdk';

/** The client that the project has installed: only some projects need it, so it is not a dependency of this package. */
export async function importClient(): Promise<WandbClient> {
  const loaded = await importPackage(PACKAGE, notInstalled);
  const client = [loaded, loaded.default, loaded.default?.default].find(
    (each) => typeof each?.init === 'function',
  );
  if (client) return client;
  throw loggingError(
    'LOG_SERVICE',
    `the installed ${PACKAGE} has no init(). Install version 0.5, or give the hook a "client" with init()`,
  );
}

function notInstalled(cause: unknown): Error {
  return loggingError(
    'LOG_SERVICE',
    `${PACKAGE} is not installed. Install it (npm install ${PACKAGE} graphql), give the hook a "client", or log ` +
      'with tensorboard and upload its folder with "wandb sync"',
    cause,
  );
}
