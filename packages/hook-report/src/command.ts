import { parseArgs } from 'node:util';
import { type Command, messageOf } from '@hookline/hook-api/helpers';
import { reportError } from './errors.js';
import { endingText } from './terminal/ending-text.js';
import { openingLines } from './terminal/opening.js';
import { writeReport } from './write-report.js';

/** `hookline report`: the page of a run that is over, or of several at once. */
export const command: Command = {
  summary: 'make the page of a run, or one page that compares several',
  usage: `hookline report <run> [<run> ...] [--out <file>]

  <run>         the folder of a run: runs/<id>; several are drawn into the same charts
  --out <file>  where the page goes; by default report.html in the run's folder, and for several runs
                comparison.html beside the first
`,
  async run(args, write) {
    const { folders, out } = parsed(args);
    const { path, runs } = await writeReport(folders, out);
    write(runs.length === 1 ? endingText(runs[0]!, path) : openingLines(path));
    return 0;
  },
};

function parsed(args: readonly string[]): { folders: string[]; out: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { out: { type: 'string' } },
    });
    if (positionals.length > 0) return { folders: positionals, out: values.out };
  } catch (error) {
    throw reportError('CLI_USAGE', messageOf(error));
  }
  throw reportError('CLI_USAGE', 'Which run? Name its folder: hookline report runs/<id>.');
}
