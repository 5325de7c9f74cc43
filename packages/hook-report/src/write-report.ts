import { dirname, join, rename, rm, thisProcess, writeFile } from '@hookline/host';
import { type RunView, readRun } from '@hookline/run-view';
import { reportError } from './errors.js';
import { comparisonPage, runPage } from './page/page.js';

export interface ReportFile {
  /** Where the page is. */
  readonly path: string;
  readonly runs: readonly RunView[];
}

/** Makes the page of a run from its folder, or one page that compares several; `path` is where it goes. */
export async function writeReport(folders: readonly string[], path?: string): Promise<ReportFile> {
  const runs = await Promise.all(folders.map((folder) => readRun(folder)));
  const lost = folders.filter((_, at) => runs[at]!.status === 'unknown' && runs[at]!.series.size === 0);
  if (lost.length > 0 || folders.length === 0) {
    throw reportError(
      'NOT_A_RUN',
      `${lost.join(', ') || 'No folder was given, which'} is not the folder of a run: it has neither run.json nor log.jsonl. Expected a folder such as runs/<id>.`,
    );
  }
  const [first] = folders;
  const file =
    path ?? (folders.length === 1 ? reportFileOf(first!) : join(dirname(first!), 'comparison.html'));
  await writeFileAtOnce(file, folders.length === 1 ? runPage(runs[0]!) : comparisonPage(runs));
  return { path: file, runs };
}

export async function writePage(folder: string, view: RunView): Promise<void> {
  await writeFileAtOnce(reportFileOf(folder), runPage(view));
}

export function reportFileOf(folder: string): string {
  return join(folder, 'report.html');
}

/** Whoever opens it finds the old page or the new one. */
async function writeFileAtOnce(file: string, content: string): Promise<void> {
  const temporary = `${file}.${thisProcess().pid}.tmp`;
  try {
    await writeFile(temporary, content);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
