import { type DelayWorld, delayMessages } from '../batch/delay-messages.ts';
import { outOfTime } from '../batch/out-of-time.ts';
import { type Outcome, type RetryReason, verdictOn } from '../batch/outcome.ts';
import { parkMessage } from '../batch/park-message.ts';
import { reportOutcome } from '../batch/report-outcome.ts';
import { AFTER_UNKNOWN_OUTCOME } from '../batch/retry-policy.ts';
import type { ReceivedMessage } from '../events/queues.ts';
import type { SpendingWorld } from '../redeem/notice-spending.ts';
import { tellRedemptions } from '../redeem/tell-redemptions.ts';
import { type SettleWorld, settleBalances } from './settle-balances.ts';
import { type CustomerWork, type SortingWorld, sortOutMessages } from './sort-out-messages.ts';

export type BalanceWorld = DelayWorld & SettleWorld & Pick<SpendingWorld, 'queue'> & SortingWorld;

/**
 * Works on one batch of balances and returns the ids of the messages that stay on the queue.
 *
 * Customers are independent, but for one thing: those of a shop are written in one call. Whatever
 * fails, all messages of a customer leave together or stay together.
 */
export async function runBalances(
  messages: readonly ReceivedMessage[],
  world: BalanceWorld,
): Promise<readonly string[]> {
  const { works, stuck } = await sortOutMessages(messages, world);
  const ended = new Map<CustomerWork, Outcome>();
  const settled = tellRedemptions(works, ended, world).then((told) =>
    settleBalances(told, ended, world),
  );
  await Promise.race([settled, outOfTime(world.deadline)]);
  const left = await Promise.all([
    ...stuck.map((group) => delayMessages(group, parkingFailed, world)),
    ...works.map((work) => letGo(work, ended.get(work) ?? unfinished, world)),
  ]);
  return left.flat();
}

/** The abandoned work may still be writing: what it leaves behind waits as after any time-out. */
const unfinished: Outcome = {
  kind: 'retry',
  why: 'out-of-time',
  afterSeconds: AFTER_UNKNOWN_OUTCOME,
};
const parkingFailed: RetryReason = { why: 'dead-letter-queue-unavailable' };

/** Acknowledges, parks or delays; returns the ids of what stays. */
async function letGo(
  { messages, newest }: CustomerWork,
  outcome: Outcome,
  world: BalanceWorld,
): Promise<readonly string[]> {
  const [first, ...older] = messages;
  reportOutcome({ ...newest, triggeredAt: newest.eventDate }, outcome, world);
  const verdict = verdictOn(outcome);
  if (verdict.kind === 'delay') return delayMessages(messages, verdict.retry, world);
  if (verdict.kind === 'park' && !(await parkMessage(first, verdict.rejection, world))) {
    return delayMessages(messages, parkingFailed, world);
  }
  // What they told is older than what was settled, or than what now waits for a person.
  for (const { event } of older) reportOutcome(event, { kind: 'superseded' }, world);
  return [];
}
