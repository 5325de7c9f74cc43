import { parseArgs } from 'node:util';
import { type Command, messageOf } from '@hookline/hook-api/helpers';
import { dashboardError } from './errors.js';
import { openDashboard } from './server/open-dashboard.js';

/** `hookline dashboard`: the runs of a folder on a live page, until Ctrl-C. */
export const command: Command = {
  summary: 'show runs on a live page on this machine',
  usage: `hookline dashboard [folder] [--port <number>] [--host <address>]

  [folder]          the folder of runs, or of one run; runs by default
  --port <number>   by default a free one
  --host <address>  by default 127.0.0.1, which only this machine can reach

The page follows runs that are being trained, by any process. Runs that were started with hookline train --dashboard,
by the same user on this machine, can be stopped, validated, saved and tuned from it; the others are only shown.
`,
  async run(args, write) {
    const { folder, port, host } = parsed(args);
    const { url, close } = await openDashboard(folder, { port, host });
    write(`The runs in ${folder} are shown at ${url}\nCtrl-C ends it.\n`);
    await new Promise((resolve) => process.once('SIGINT', resolve));
    await close();
    return 0;
  },
};

function parsed(args: readonly string[]): { folder: string; port: number; host: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { port: { type: 'string' }, host: { type: 'string' } },
    });
    const port = Number(values.port ?? 0);
    if (positionals.length <= 1 && Number.isInteger(port) && port >= 0 && port < 65_536) {
      return { folder: positionals[0] ?? 'runs', port, host: values.host };
    }
  } catch (error) {
    throw dashboardError('CLI_USAGE', messageOf(error));
  }
  throw dashboardError('CLI_USAGE', 'Expected at most one folder, and a port from 0 to 65535.');
}
