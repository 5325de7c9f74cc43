import { textOf } from '../../pages.mjs';

export interface Block {
  page: string;
  line: number;
  /** Empty when the page does not say. */
  language: string;
  code: string;
  /** What the page says that it prints: the block that follows, at once or after "It prints:". */
  prints: string | undefined;
  /** From a comment `<!-- not checked: reason -->` before the block. */
  unchecked: string | undefined;
}

// Right after the block, or after "It prints:".
const shownAfter = /(?<![\s\S])\n\n(?:It prints:\n\n)?```\n([\s\S]*?)^```$/m;

export function blocksOf(page: string): Block[] {
  const text = textOf(page);
  const fence = /(?:<!-- not checked: (.+?) -->\n+)?^```(\S*)[^\n]*\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(fence)].map((match) => {
    const after = text.slice(match.index + match[0].length);
    return {
      page,
      line: text.slice(0, text.indexOf('```', match.index)).split('\n').length,
      language: match[2]!,
      code: match[3]!,
      prints: shownAfter.exec(after)?.[1],
      unchecked: match[1],
    };
  });
}
