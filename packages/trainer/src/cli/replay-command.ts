import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Command } from '@hookline/hook-api/helpers';
import { importExport, realFile } from '@hookline/hook-discovery';
import { registerGradients } from '@hookline/tfjs-corrections';
import { selectBackend } from '../backends/select-backend.js';
import { trainerError } from '../errors.js';
import type { ModelOption } from '../model/build-model.js';
import { batchLoss } from '../objective/losses/batch-loss.js';
import type { LossOption } from '../objective/losses/output-losses.js';
import { projectOf } from './project-option.js';
import { readFlags } from './read-flags.js';
import { recordedRun } from './recorded-run.js';
import { type ReplayedStep, replayedStep } from './replayed-step.js';

/** Runs a step that the debug hook kept again, layer by layer, and says where it goes wrong. */
export const replayCommand: Command = {
  summary: 'run a step that the debug hook kept again, layer by layer',
  usage: `hookline replay <bundle> --model <file>#<export> [--loss <name> | <file>#<export>] [--backend <name>] [--root <folder>]

  <bundle>          the folder that the debug hook wrote: runs/<id>/debug/<step>
  --model           the model, or a function that makes it: ./model.js#makeModel, without # the default export
  --loss            the loss: meanSquaredError, or ./model.js#loss; by default that of the run, where it has a name
  --backend <name>  what computes; by default wasm or cpu as in the run, or the best that works here
  --root <folder>   the project, the current folder by default

The step is run with the weights, the batch and the random numbers of the run: on the same backend its loss is the
same, to the last bit. Hooks that changed activations are not there.

The exit code is 1 while NaN or infinity appears, and 0 when all is finite.
`,
  async run(args, write) {
    const [bundle, ...rest] = args;
    const flags = readFlags(bundle?.startsWith('-') ? args : rest, {
      model: { type: 'string' },
      loss: { type: 'string' },
      backend: { type: 'string' },
      root: { type: 'string' },
    });
    if (bundle === undefined || bundle.startsWith('-')) throw usage('Which bundle? Name its folder.');
    if (flags.model === undefined)
      throw usage('--model is missing: the bundle holds weights, your code the model.');
    const root = projectOf(flags.root);
    const { replay } = await importDebugHook(root);
    const recorded = recordedRun(resolve(bundle));
    await selectBackend({ backend: flags.backend ?? recorded.backend, root });
    registerGradients();
    const model = (await importValue(flags.model)) as ModelOption;
    const loss = flags.loss === undefined ? recorded.loss : await lossOf(flags.loss);
    // Settings of the run belong to its loss: another one may not know them.
    const isOther = flags.loss !== undefined && recorded.loss !== undefined;
    const step = await replayedStep(model, loss && batchLoss(loss, isOther ? {} : recorded.settings));
    const { text, bad } = await replay(resolve(bundle), step);
    write(text);
    return bad ? 1 : 0;
  },
};

/** The part of the debug hook's package that this command needs. */
interface DebugHook {
  replay(bundle: string, options: ReplayedStep): Promise<{ text: string; bad: boolean }>;
}

/** Found in the project, as every hook is: the trainer depends on none. */
async function importDebugHook(root: string): Promise<DebugHook> {
  let file: string;
  try {
    file = createRequire(join(root, 'package.json')).resolve(DEBUG_HOOK);
  } catch (cause) {
    throw trainerError(
      'HOOK_MISSING',
      `Replaying is done by ${DEBUG_HOOK}, which is not installed in ${root}: npm install ${DEBUG_HOOK}`,
      cause,
    );
  }
  return { replay: (await importExport(file, 'replay', DEBUG_HOOK)) as DebugHook['replay'] };
}

const DEBUG_HOOK = '@hookline/hook-debug';

async function lossOf(text: string): Promise<LossOption> {
  return (/[./\\]/.test(text) ? await importValue(text) : text) as LossOption;
}

/** `./model.js#makeModel`, from the current folder. */
async function importValue(text: string): Promise<unknown> {
  const [, path = text, exported = 'default'] = /^(.+?)(?:#([^#/]+))?$/.exec(text) ?? [];
  return importExport(realFile(resolve(path), text), exported, text);
}

function usage(message: string): Error {
  return trainerError('CLI_USAGE', message);
}
