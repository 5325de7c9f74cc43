import type { ProcessMark } from '@hookline/host';

/** As it stands in the name of a file. */
export const MARK_PATTERN = '([0-9a-f]{8})-([0-9]+)-([0-9]+)';

export function markText({ host, pid, start }: ProcessMark): string {
  return `${host}-${pid}-${start}`;
}

export function parseMark([host, pid, start]: readonly (string | undefined)[]): ProcessMark {
  return { host: host!, pid: Number(pid), start: Number(start) };
}
