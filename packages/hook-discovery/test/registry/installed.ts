import { type Hook, TrainerHook } from '@hookline/hook-api';
import { type Files, npmProject, plugin } from '@hookline/test-support';
import { HookRegistry, type RegistryOptions } from '../../src/registry/hook-registry.js';
import type { RegistryEntry } from '../../src/registry/registry-entry.js';

/** What is installed in the project of these tests: two third-party hooks between built-ins. */
export const installed: Record<string, Files> = {
  '@hookline/hook-early-stopping': plugin('@hookline/hook-early-stopping', 'early-stopping'),
  'trainer-hook-b': plugin('trainer-hook-b', 'b'),
  'trainer-hook-a': plugin('trainer-hook-a', 'a'),
  '@hookline/hook-logging': {
    ...plugin('@hookline/hook-logging', 'console-log', {
      trainerHooks: {
        schema: 1,
        hooks: {
          'console-log': './index.js',
          'json-log': './json.js',
          wandb: { entry: './wandb.js', autoload: false },
        },
      },
    }),
    'json.js': `export default () => ({ name: 'json-log' });`,
    'wandb.js': `export default (options) => ({ name: 'wandb', options });`,
  },
};

export function registry(
  options: RegistryOptions = {},
  packages: Record<string, Files> = installed,
): HookRegistry {
  return new HookRegistry({ root: npmProject(packages), ...options });
}

export function hook(name: string): Hook {
  return { name, onEpochEnd() {} };
}

export function noise({ scale = 1 }: { scale?: number } = {}): Hook & { scale: number } {
  return { name: 'noise', scale, transformGradients: () => undefined };
}

export class Watcher extends TrainerHook {
  readonly name: string = 'watcher';
  override onForward(): void {}
}

/** The names of the hooks that will run, in order. */
export async function order(made: HookRegistry): Promise<string[]> {
  return (await made.load()).filter(({ enabled }) => enabled).map((loaded) => loaded.hook.name);
}

export function entry(made: HookRegistry, name: string): RegistryEntry | undefined {
  return made.entries().find((each) => each.name === name);
}

export function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
