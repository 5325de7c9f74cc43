/** One attention head: where it is, and the paths of its tap points. */
export interface Head {
  block: number;
  index: number;
  /** Short for block (layer) and head: `L1H0`. */
  name: string;
  pattern: string;
  output: string;
}

export function headsOf({ blocks, slopes }: { blocks: number; slopes: readonly number[] }): Head[] {
  return Array.from({ length: blocks }, (_, block) =>
    slopes.map((_, index) => {
      const path = `blocks/${block}/attention/head_${index}`;
      return {
        block,
        index,
        name: `L${block}H${index}`,
        pattern: `${path}/pattern`,
        output: `${path}/output`,
      };
    }),
  ).flat();
}
