import type { QueueFamily } from './queue-family.ts';

/** How much work is waiting already, as far as the queue can tell. */
export interface QueueDepth {
  of(family: QueueFamily): Promise<{
    /** Waiting for a worker now. */
    readonly ready: number;
    /** Being worked on, or waiting for its next try. */
    readonly hidden: number;
  }>;
}
