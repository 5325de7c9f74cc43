import type { Command } from '@hookline/hook-api/helpers';
import { explainBackends } from '../backends/doctor.js';
import { projectOf } from './project-option.js';
import { readFlags } from './read-flags.js';

/** Says which backend a run would take, why not a better one, and how to get it. */
export const doctorCommand: Command = {
  summary: 'say which backend computes here, and how to get a faster one',
  usage: `hookline doctor [--root <folder>]

  --root <folder>  the project, the current folder by default
`,
  async run(args, write) {
    const { root } = readFlags(args, { root: { type: 'string' } });
    write(`${await explainBackends(projectOf(root))}\n`);
    return 0;
  },
};
