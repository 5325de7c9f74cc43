/**
 * Gives memory back at once, instead of when garbage is collected: a thread that waits for its next job collects none, and
 * a thread that trains would collect all of its garbage early, because of arrays that nobody needs any more. What is sent
 * to a port that is closed is gone.
 */
export function free(buffers: ArrayBuffer[]): void {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(undefined, buffers);
  port1.close();
  port2.close();
}
