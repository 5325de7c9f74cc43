import type { Origin, RegistryItem } from './registry-item.js';

/**
 * The items of a registry, in the order in which they came. To add, find or remove one takes as long among thousands as
 * among few.
 */
export class ItemList {
  #items: RegistryItem[] = [];
  /** Still among `#items`: they go when those are next needed. */
  readonly #removed = new Set<RegistryItem>();
  /** By name and by origin; made again when it is next needed. */
  #index: Map<string | Origin, Set<RegistryItem>> | undefined;

  all(): readonly RegistryItem[] {
    if (this.#removed.size > 0) this.#items = this.#items.filter((item) => !this.#removed.has(item));
    this.#removed.clear();
    return this.#items;
  }

  /** Those that have this name, or that come from there. */
  of(key: string | Origin): RegistryItem[] {
    if (!this.#index) {
      this.#index = new Map();
      for (const item of this.all()) this.#enter(item);
    }
    return [...(this.#index.get(key) ?? [])];
  }

  append(items: Iterable<RegistryItem>): void {
    for (const item of items) {
      // One that was removed and comes again would be taken out with its old self.
      if (this.#removed.has(item)) this.all();
      this.#items.push(item);
      this.#enter(item);
    }
  }

  remove(items: Iterable<RegistryItem>): void {
    for (const item of items) {
      this.#removed.add(item);
      for (const key of keysOf(item)) this.#index?.get(key)?.delete(item);
    }
  }

  /** Puts others in the place of an item that is there. */
  replace(item: RegistryItem, others: readonly RegistryItem[]): void {
    const place = this.all().indexOf(item);
    if (place < 0) return;
    this.#items.splice(place, 1, ...others);
    this.renamed();
  }

  /** To be called after an item has got another name. */
  renamed(): void {
    this.#index = undefined;
  }

  #enter(item: RegistryItem): void {
    for (const key of keysOf(item)) {
      const entered = this.#index?.get(key);
      if (entered) entered.add(item);
      else this.#index?.set(key, new Set([item]));
    }
  }
}

function keysOf({ name, origin }: RegistryItem): [string, Origin] {
  return [name, origin];
}
