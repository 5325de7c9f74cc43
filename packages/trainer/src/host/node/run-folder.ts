import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolderNow } from '@hookline/host/node';

/** The UTC time, so that ids sort by age, and a random part: `20261116-074500-3f9a2c`. */
export function createRunId(now: Date = new Date()): string {
  const [date, time] = now.toISOString().replace(/[-:]/g, '').split(/[T.]/);
  return `${date}-${time}-${randomBytes(3).toString('hex')}`;
}

/** Makes a folder that nobody else has, also when many processes start at once, and returns its id. */
export function makeRunFolder(runsDir: string, nextId: () => string = createRunId): string {
  makeFolderNow(runsDir);
  for (;;) {
    const id = nextId();
    try {
      // Not recursive: an existing folder is then an error, which is what makes the id this run's own.
      mkdirSync(join(runsDir, id));
      return id;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
