/** Cancels a task that has not run yet. */
export type Cancel = () => void;

interface Task {
  readonly at: number;
  /** Two tasks of the same moment run in the order in which they were planned. */
  readonly turn: number;
  run: (() => void) | undefined;
}

/**
 * The only clock and scheduler. Between two tasks, everything that the first one resolved runs to its
 * next wait, so that a run never depends on the speed of the machine.
 */
export class VirtualTime {
  #now: number;
  #turns = 0;
  readonly #heap: Task[] = [];

  constructor(start: number) {
    this.#now = start;
  }

  /** Epoch milliseconds. */
  get now(): number {
    return this.#now;
  }

  /** How many tasks have run. */
  steps = 0;

  at(moment: number, run: () => void): Cancel {
    this.#turns += 1;
    const task: Task = { at: Math.max(moment, this.#now), turn: this.#turns, run };
    this.#push(task);
    return () => {
      task.run = undefined;
    };
  }

  after(ms: number, run: () => void): Cancel {
    return this.at(this.#now + ms, run);
  }

  /** Runs the tasks up to the given moment. */
  async passUntil(moment: number): Promise<void> {
    await new Promise(setImmediate);
    for (;;) {
      const next = this.#heap[0];
      if (!next || next.at > moment) break;
      this.#pop();
      const { run } = next;
      if (!run) continue;
      this.#now = next.at;
      this.steps += 1;
      run();
      // Promises that are resolved by now continue before any immediate runs.
      await new Promise(setImmediate);
    }
    if (Number.isFinite(moment)) this.#now = Math.max(this.#now, moment);
  }

  /** The moment of the next task. */
  get next(): number | undefined {
    for (let head = this.#heap[0]; head; head = this.#heap[0]) {
      if (head.run) return head.at;
      this.#pop();
    }
    return undefined;
  }

  #push(task: Task): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(task);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (!above || isBefore(above, task)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = task;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      let below = heap[child];
      const other = heap[child + 1];
      if (!below) break;
      if (other && isBefore(other, below)) {
        child += 1;
        below = other;
      }
      if (isBefore(last, below)) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = last;
  }
}

const isBefore = (a: Task, b: Task): boolean => a.at < b.at || (a.at === b.at && a.turn < b.turn);
