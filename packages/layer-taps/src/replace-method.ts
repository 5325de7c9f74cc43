/** Puts a method in place of one that an object has or inherits. Returns how to put that back. */
export function replaceMethod<Key extends string, Method>(
  target: { [Name in Key]?: Method },
  key: Key,
  method: Method,
  enumerable: boolean,
): () => void {
  const replaced = Object.getOwnPropertyDescriptor(target, key);
  Object.defineProperty(target, key, { value: method, configurable: true, writable: true, enumerable });
  return () => {
    // Somebody else patched the object after us and holds our method: it stays, and passes everything through.
    if (target[key] !== method) return;
    if (replaced) Object.defineProperty(target, key, replaced);
    else delete target[key];
  };
}
