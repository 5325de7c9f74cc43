import { importFromFile, importMaker } from '#host';
import { checkedOptions, type HookMaker, pathOf } from '../discovery/make-hooks.js';
import type { RegistryItem } from './registry-item.js';
import { rejected } from './tune-item.js';

/** Something that is wrong with the options of a hook. */
export interface OptionProblem {
  /** The hook's name. */
  hook: string;
  /** Where in its options, as far as the hook's schema says so. */
  path: readonly string[];
  message: string;
}

/** What the hook's own schema finds wrong with the options of an item. Imports the hook, and does not make it. */
export async function optionProblems(item: RegistryItem): Promise<OptionProblem[]> {
  const maker = await makerOf(item);
  if (typeof maker !== 'function') return [];
  const { issues = [] } = await checkedOptions(maker as HookMaker, item.options, item.name);
  return issues.map((issue) => ({ hook: item.name, path: pathOf(issue), message: issue.message }));
}

async function makerOf({ name, origin }: RegistryItem): Promise<unknown> {
  if (origin.from === 'maker') return origin.make;
  if (origin.from === 'file') return importFromFile(origin.path, origin.export, name);
  if (origin.from === 'barred') throw rejected(origin.package);
  if (origin.from !== 'plugin') return undefined;
  return importMaker(origin.package, origin.hook);
}
