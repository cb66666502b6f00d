/** How long one call to AWS may take, attempts and all. */
export interface CallBudget {
  readonly connectMs: number;
  /** From the start of one attempt to the end of its answer, connecting included. */
  readonly attemptMs: number;
  readonly attempts: number;
}

/**
 * The store hangs up after 5 s: two attempts and the pause between them must leave time to answer 503.
 */
export const RECEIVER_BUDGET: CallBudget = { connectMs: 700, attemptMs: 1_500, attempts: 2 };

/** Workers have time, but a batch must return before its function's time-out. */
export const WORKER_BUDGET: CallBudget = { connectMs: 1_000, attemptMs: 3_000, attempts: 3 };
