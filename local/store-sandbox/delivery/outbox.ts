/**
 * Puts deliveries into the order in which they leave. One that may be overtaken waits until so many
 * later ones have come, or until nothing more seems to come. Within one burst of actions the order
 * depends on the draws alone, not on time.
 */
export class Outbox<Item> {
  #waiting: { readonly key: number; readonly item: Item }[] = [];
  #last = 0;

  add(item: Item, overtakenBy: number): void {
    this.#last += 1;
    const entry = { key: this.#last + overtakenBy, item };
    // Behind all that leave no later than this one: the sort is stable.
    const place = this.#waiting.findIndex(({ key }) => key > entry.key);
    if (place < 0) this.#waiting.push(entry);
    else this.#waiting.splice(place, 0, entry);
  }

  /** The next that no later one can overtake any more; with `hurry`, simply the next. */
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
