import {
  isObject,
  isPathInside,
  isPluginName,
  type ManifestFindings,
  refuse,
  warnOfUnknownKeys,
} from './manifest-rules.js';

/** `trainerCommands` in a package.json, as it is written: what `hookline <name>` runs. */
export type TrainerCommandsField = Record<string, TrainerCommandEntry>;

export interface TrainerCommandEntry {
  /** Path inside the package, starting with `./`. Its export `command` is the `Command`. */
  entry: string;
  /** One line for `hookline --help`. */
  summary: string;
}

/** One command of a valid manifest. */
export interface ManifestCommand extends TrainerCommandEntry {
  name: string;
}

export interface CommandsReport extends ManifestFindings {
  /** Those without a problem. */
  commands: ManifestCommand[];
}

/** Checks `trainerCommands` of a package.json and reports every problem with its path. */
export function validateCommands(field: unknown): CommandsReport {
  const report: CommandsReport = { commands: [], problems: [], warnings: [] };
  const example = '{ "my-command": { "entry": "./dist/command.js", "summary": "..." } }';
  const given = isObject(field) ? Object.entries(field) : [];
  if (given.length === 0) refuse(report, 'trainerCommands', example, field);
  for (const [name, value] of given) {
    const at = `trainerCommands[${JSON.stringify(name)}]`;
    const before = report.problems.length;
    const { entry, summary } = isObject(value) ? value : {};
    if (!isPluginName(name)) refuse(report, at, 'the name of a command such as "my-command"', name);
    if (!isObject(value)) refuse(report, at, '{ "entry": ..., "summary": ... }', value);
    else {
      warnOfUnknownKeys(report, at, value, ['entry', 'summary']);
      if (!isPathInside(entry))
        refuse(report, `${at}.entry`, 'a path that begins with "./", without ".."', entry);
      if (!isLine(summary)) refuse(report, `${at}.summary`, 'one line of text', summary);
    }
    if (report.problems.length > before) continue;
    report.commands.push({ name, entry: entry as string, summary: summary as string });
  }
  return report;
}

function isLine(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && !/\p{Cc}/u.test(text);
}
