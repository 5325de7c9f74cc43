/** A share of 1 as people read it: `99.8 %`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
