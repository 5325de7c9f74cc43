/** What some file system does not allow in a name; the slash of a metric would make a folder. */
const UNSAFE = /[<>:"/\\|?*\p{Cc}]/gu;

/** The text as it can be part of a file name everywhere. */
export function safeName(text: string, instead: '_' | '-'): string {
  return text.replace(UNSAFE, instead);
}
