/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The beginning of a text that fits into so many columns. */
export function fitText(text: string, columns: number): string {
  let width = 0;
  let fitting = '';
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) break;
    fitting += character;
  }
  return fitting;
}

// Names of metrics come from users: scripts with wide characters and emoji take two columns, marks take none.
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const INVISIBLE = /\p{Mark}|\p{Format}/u;

function characterWidth(character: string): number {
  if (character < '\u0300') return 1;
  if (INVISIBLE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
