/** Reads a table as RFC 4180 describes it; throws where it is none. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let field = '';
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (at >= text.length) throw new Error('a quoted field has no end');
        if (text[at] !== '"') field += text[at];
        else if (text[at + 1] === '"') field += text[at++];
        else break;
      }
      at++;
    } else {
      for (; at < text.length && !',\n'.includes(text[at]!); at++) {
        if (text[at] === '"') throw new Error('a quote in a field that is not quoted');
        field += text[at];
      }
    }
    row.push(field);
    if (text[at] === '\n') {
      rows.push(row);
      row = [];
    } else if (text[at] !== ',') {
      throw new Error(`expected a comma or the end of a line at ${at}`);
    }
    at++;
  }
  if (row.length > 0) throw new Error('the last line has no end');
  const odd = rows.findIndex((each) => each.length !== rows[0]!.length);
  if (odd >= 0) throw new Error(`row ${odd} has ${rows[odd]!.length} fields, the header ${rows[0]!.length}`);
  return rows;
}

/** The rows as objects; fields that are empty are left out. */
export function csvObjects(text: string): Record<string, string>[] {
  const [header = [], ...rows] = parseCsv(text);
  return rows.map((row) =>
    Object.fromEntries(row.flatMap((field, index) => (field === '' ? [] : [[header[index]!, field]]))),
  );
}
