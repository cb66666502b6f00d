/**
 * Decides the order of deliveries. A delivery that may be overtaken waits for that many later ones, or
 * until no more seem to come. Within one burst of actions the order depends only on the random
 * numbers, not on time.
 */
export class Outbox<Item> {
  #waiting: { readonly key: number; readonly item: Item }[] = [];
  #last = 0;

  add(item: Item, overtakenBy: number): void {
    this.#last += 1;
    const entry = { key: this.#last + overtakenBy, item };
    // After all entries with the same key, so that equal ones keep their order.
    const place = this.#waiting.findIndex(({ key }) => key > entry.key);
    if (place < 0) this.#waiting.push(entry);
    else this.#waiting.splice(place, 0, entry);
  }

  /** The next one that no later one can overtake; with `hurry`, the next one in any case. */
  take(hurry: boolean): Item | undefined {
    const [head] = this.#waiting;
    if (!head || (!hurry && head.key > this.#last)) return undefined;
    this.#waiting.shift();
    return head.item;
  }

  get size(): number {
    return this.#waiting.length;
  }
}
