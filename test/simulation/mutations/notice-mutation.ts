import { Worker } from 'node:worker_threads';

export interface Noticed {
  readonly name: string;
  /** How many seeds it took, or how many were tried. */
  readonly seeds: number;
  /** Undefined: nobody noticed. */
  readonly oracle: string | undefined;
  readonly what: string | undefined;
}

/** In a thread of its own: the bug must not stay in this process. */
export function noticeMutation(name: string, most: number, events = 200): Promise<Noticed> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./mutation-thread.ts', import.meta.url), {
      workerData: { name, events, most },
    });
    worker.on('message', resolve);
    worker.on('error', reject);
  });
}
