/**
 * Milliseconds that this process has spent computing. Where a machine is shared, the rest of the time was somebody
 * else's: this clock moves by percents where the one on the wall moves by factors.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
