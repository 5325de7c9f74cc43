export function fromBase64(text: string): Uint8Array {
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: 'base64'): Uint8Array } };
  if (Buffer) return Buffer.from(text, 'base64');
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
