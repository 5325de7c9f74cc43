import { HookRegistry, type HooksOption } from '@hookline/hook-discovery';
import { isForbidden } from './config-path.js';
import { type ConfigProblem, optionProblem, problemsIn, problemsOf } from './problems.js';

type Discover = ConstructorParameters<typeof HookRegistry>[0] extends infer Options | undefined
  ? Options
  : never;

/** What is wrong with the hooks of a config, options included. Imports the hooks that are on, and makes none. */
export async function hookProblems(
  hooks: unknown,
  where: Pick<NonNullable<Discover>, 'root' | 'discover'>,
): Promise<ConfigProblem[]> {
  // Each by itself, so that one mistake does not hide the others.
  const alone = partsOf(hooks).flatMap(({ path, part }) =>
    problemsOf(path, () => new HookRegistry({ ...where, hooks: part })),
  );
  if (alone.length > 0) return alone;
  try {
    const registry = new HookRegistry({ ...where, hooks: hooks as HooksOption });
    const found = await registry.problems();
    return found.map(({ hook, path, message }) => optionProblem(message, ['hooks', hook, ...path].join('.')));
  } catch (error) {
    return problemsIn(error, 'hooks');
  }
}

interface Part {
  readonly path: string;
  readonly part: HooksOption;
}

function partsOf(hooks: unknown): Part[] {
  if (Array.isArray(hooks)) return hooks.map((item, index) => ({ path: `hooks[${index}]`, part: [item] }));
  return Object.entries(Object(hooks))
    .filter(([name]) => !isForbidden(name))
    .map(([name, setting]) => ({ path: `hooks.${name}`, part: { [name]: setting } as HooksOption }));
}
