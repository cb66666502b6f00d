/** Cancels a task that has not run yet. */
export type Cancel = () => void;

interface Task {
  readonly at: number;
  /** Two tasks of the same moment run in the order in which they were planned. */
  readonly turn: number;
  run: (() => void) | undefined;
}

const IMMEDIATES_AT_ONCE = 16;

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

  /**
   * Runs the tasks up to the given moment, one in each immediate: promises that a task resolved continue before the next
   * immediate runs. Several are planned at once, because a turn of Node's event loop costs more than most tasks.
   */
  passUntil(moment: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let planned = 0;
      let isOver = false;
      const plan = () => {
        for (; planned < IMMEDIATES_AT_ONCE; planned += 1) setImmediate(turn);
      };
      const turn = () => {
        planned -= 1;
        if (isOver) return;
        const task = this.#takeUntil(moment);
        isOver = task === undefined;
        try {
          task?.();
        } catch (error) {
          isOver = true;
          reject(error);
        }
        if (!task) resolve();
        else if (planned === 0) plan();
      };
      plan();
    });
  }

  /** The next task; undefined, and the time has passed, when there is none up to the given moment. */
  #takeUntil(moment: number): (() => void) | undefined {
    for (let next = this.#heap[0]; next && next.at <= moment; next = this.#heap[0]) {
      this.#pop();
      if (!next.run) continue;
      this.#now = next.at;
      this.steps += 1;
      return next.run;
    }
    if (Number.isFinite(moment)) this.#now = Math.max(this.#now, moment);
    return undefined;
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
