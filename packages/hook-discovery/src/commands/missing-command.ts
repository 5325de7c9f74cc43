import { commandOwner } from '../built-in-packages.js';
import { dependenciesOf } from '../discovery/dependencies.js';
import { projectAbove } from '../discovery/project-root.js';

/** How to install a command of ours that the project lacks; undefined for a name that is not ours. */
export function howToGetCommand(name: string, start: string): string | undefined {
  const owner = commandOwner(name);
  if (owner === undefined) return undefined;
  const what = `"hookline ${name}" comes from ${owner}, which`;
  const project = projectAbove(start);
  if (project === undefined) return `${what} is not installed. Install it: npm install ${owner}`;
  const { root, text } = project;
  const declared = [...dependenciesOf(root, text, true)].some((dependency) => dependency.name === owner);
  return declared
    ? `${what} is in package.json but not installed. Install it: npm install`
    : `${what} is not in the dependencies of ${root}. Install it: npm install ${owner}`;
}
