import { type Command, messageOf } from '@hookline/hook-api/helpers';
import { shortPath } from '#host';
import { explainBackends } from '../backends/doctor.js';
import { configAbove } from '../config/find-config.js';
import { readConfig } from '../config/read-config.js';
import { fixNative } from './native-build/fix-native.js';
import { projectOf } from './project-option.js';
import { readFlags } from './read-flags.js';

/** Says which backend a run would take, why not a better one, and how to get it. */
export const doctorCommand: Command = {
  summary: 'say which backend computes here, and how to get a faster one',
  usage: `hookline doctor [--root <folder>] [--fix [--yes]]

  --root <folder>  the project, the current folder by default
  --fix            build the addon of tfjs-node or tfjs-node-gpu where it does not work; says how, and asks first
  --yes            with --fix: do not ask
`,
  async run(args, write) {
    const { root, fix, yes } = readFlags(args, {
      root: { type: 'string' },
      fix: { type: 'boolean' },
      yes: { type: 'boolean' },
    });
    const project = projectOf(root);
    if (fix) return fixNative(project, yes === true, write);
    write(`${await explainBackends(project)}\n${await configuredBackend(project)}`);
    return 0;
  },
};

/** What the project's config asks for; nothing where it leaves the choice open. */
async function configuredBackend(root: string): Promise<string> {
  const file = await configAbove(root);
  if (file === undefined) return '';
  try {
    const { backend } = (await readConfig(file)) as { backend?: unknown };
    return backend === undefined ? '' : `${shortPath(file)} asks for ${JSON.stringify(backend)}.\n`;
  } catch (error) {
    return `${messageOf(error)}\n`;
  }
}
