import { SafetensorsError } from './errors.js';

/**
 * What a header says. Numbers other than plain integers from 0 are `undefined`: the format has no place for them, and
 * `1.0` must not pass for `1`.
 */
export type HeaderJson =
  | string
  | number
  | boolean
  | null
  | undefined
  | HeaderJson[]
  | Map<string, HeaderJson>;

/** As deep as the reference reader goes. */
const DEEPEST = 128;

/** The header, and in it the metadata and each tensor. Deeper objects have no meaning: nothing of them is kept. */
const DEEPEST_OBJECT = 1;

/** A shape, or offsets. Of deeper lists nothing is kept, and of these only numbers. */
const DEEPEST_LIST = 2;

/**
 * Reads the members of the header and gives them to `member`, each as soon as it is read: a bad header of 100 MB ends at
 * its first bad member, not after gigabytes of objects. Stricter than JSON.parse, which takes a key that is there
 * twice, and blind to no name: `__proto__` is one of many.
 */
export function readHeaderJson(text: string, member: (name: string, value: HeaderJson) => void): void {
  new Scanner(text, member).run();
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const INTEGER = /^[0-9]+$/;
const WORDS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

class Scanner {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly member: (name: string, value: HeaderJson) => void,
  ) {}

  run(): void {
    if (this.peek() !== '{') this.fail('is not a JSON object');
    this.object(0);
    if (this.peek() !== '') this.fail('continues after its end');
  }

  private value(depth: number): HeaderJson {
    if (depth >= DEEPEST) this.fail(`is nested more than ${DEEPEST} deep`);
    switch (this.peek()) {
      case '{':
        return this.object(depth);
      case '[':
        return this.array(depth);
      case '"':
        return this.string();
    }
    for (const [word, meaning] of WORDS) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return meaning;
    }
    return this.number();
  }

  private object(depth: number): Map<string, HeaderJson> | undefined {
    const members = depth <= DEEPEST_OBJECT ? new Map<string, HeaderJson>() : undefined;
    this.list('}', () => {
      if (this.peek() !== '"') this.fail('lacks a name in quotation marks');
      const name = this.string();
      if (members?.has(name)) this.fail(`has "${name}" twice`);
      if (this.peek() !== ':') this.fail('lacks a colon');
      this.at++;
      // A list in the place of a tensor can be as long as the header; it need not be read to be refused.
      const value = depth === 0 && this.peek() === '[' ? [] : this.value(depth + 1);
      if (depth === 0) this.member(name, value);
      members?.set(name, depth === 0 ? undefined : value);
    });
    return members;
  }

  private array(depth: number): HeaderJson[] | undefined {
    const items: HeaderJson[] | undefined = depth <= DEEPEST_LIST ? [] : undefined;
    this.list(']', () => {
      const item = this.value(depth + 1);
      items?.push(typeof item === 'number' ? item : undefined);
    });
    return items;
  }

  private list(close: string, item: () => void): void {
    this.at++;
    if (this.peek() !== close) {
      item();
      while (this.peek() === ',') {
        this.at++;
        item();
      }
      if (this.peek() !== close) this.fail(`lacks "," or "${close}"`);
    }
    this.at++;
  }

  private string(): string {
    const { text, at } = this;
    let end = at + 1;
    let isPlain = true;
    for (let code = text.charCodeAt(end); code !== 0x22; code = text.charCodeAt(end)) {
      if (end >= text.length) this.fail('ends inside a string');
      if (code === 0x5c || code < 0x20) isPlain = false;
      end += code === 0x5c ? 2 : 1;
    }
    this.at = end + 1;
    return isPlain ? text.slice(at + 1, end) : this.escaped(text.slice(at, end + 1));
  }

  private escaped(literal: string): string {
    let value: string | undefined;
    try {
      value = JSON.parse(literal) as string;
    } catch {
      this.fail('has a string with a character or an escape that JSON does not allow');
    }
    if (/\p{Surrogate}/u.test(value)) this.fail('has a string with half a character (a lone surrogate)');
    return value;
  }

  private number(): number | undefined {
    NUMBER.lastIndex = this.at;
    const literal = NUMBER.exec(this.text)?.[0];
    if (literal === undefined) this.fail('has something that is not JSON');
    this.at += literal.length;
    return INTEGER.test(literal) ? Number(literal) : undefined;
  }

  private peek(): string {
    const { text } = this;
    for (let code = text.charCodeAt(this.at); isSpace(code); code = text.charCodeAt(this.at)) this.at++;
    return text.charAt(this.at);
  }

  private fail(what: string): never {
    const near = JSON.stringify(this.text.slice(Math.max(0, this.at - 20), this.at + 20));
    throw new SafetensorsError(
      'INVALID_HEADER_DESERIALIZATION',
      `The header ${what}, at character ${this.at}, near ${near}.`,
    );
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}
