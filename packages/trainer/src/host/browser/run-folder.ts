import { finiteOrText } from '@hookline/hook-api/helpers';
import { join, mkdir, randomHex, writeFile } from '@hookline/host';
import type { RunFolder } from '../contract.js';

/** The UTC time, so that ids sort by age, and a random part: `20261116-074500-3f9a2c`. */
export function createRunId(now: Date = new Date()): string {
  const [date, time] = now.toISOString().replace(/[-:]/g, '').split(/[T.]/);
  return `${date}-${time}-${randomHex(3)}`;
}

export async function openRunFolder(runsDir: string): Promise<RunFolder> {
  await mkdir(runsDir, { recursive: true });
  const id = await makeFolder(runsDir);
  let writing: Promise<void> = Promise.resolve();
  return {
    id,
    // One after the other: the latest record is the one that stays.
    write: (record) => {
      const text = `${JSON.stringify(record, finiteOrText, 2)}\n`;
      writing = writing.catch(() => {}).then(() => writeFile(join(runsDir, id, 'run.json'), text));
      return writing;
    },
  };
}

/** One that no other tab has. */
async function makeFolder(runsDir: string): Promise<string> {
  for (;;) {
    const id = createRunId();
    try {
      await mkdir(join(runsDir, id));
      return id;
    } catch (error) {
      if (Object(error).code !== 'EEXIST') throw error;
    }
  }
}
