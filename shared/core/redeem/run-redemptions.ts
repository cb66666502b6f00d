import { type DelayWorld, delayMessages } from '../batch/delay-messages.ts';
import { outOfTime } from '../batch/out-of-time.ts';
import { type Outcome, verdictOn } from '../batch/outcome.ts';
import { parkMessage } from '../batch/park-message.ts';
import { reportOutcome } from '../batch/report-outcome.ts';
import { AFTER_UNKNOWN_OUTCOME } from '../batch/retry-policy.ts';
import { correlationOf, errorFields } from '../batch/telemetry.ts';
import type { RedemptionEvent } from '../events/event.ts';
import type { ReceivedMessage } from '../events/queues.ts';
import { type ResumeWorld, resumeRedemption } from './resume-redemption.ts';

export interface RedemptionMessage {
  readonly message: ReceivedMessage;
  readonly event: RedemptionEvent;
}

type ShopWorld = Pick<ResumeWorld, 'loyalty' | 'breaker' | 'store'>;

export interface RedemptionWorld
  extends DelayWorld,
    Omit<ResumeWorld, keyof ShopWorld | 'telemetry' | 'now'> {
  /** Undefined for a shop that is not in the settings. */
  readonly rewardsOf: (shop: string) => ShopWorld | undefined;
}

/** Works on the redemptions of one batch, each for itself; returns the ids of what stays on the queue. */
export async function runRedemptions(
  messages: readonly RedemptionMessage[],
  world: RedemptionWorld,
): Promise<readonly string[]> {
  const left = await Promise.all(messages.map((one) => runOne(one, world)));
  return left.flat();
}

async function runOne(one: RedemptionMessage, world: RedemptionWorld): Promise<readonly string[]> {
  const { event } = one;
  const outcome = await Promise.race([
    attempt(event, world),
    outOfTime(world.deadline).then(() => unfinished('out-of-time')),
  ]);
  reportOutcome(event, outcome, world);
  const verdict = verdictOn(outcome);
  if (verdict.kind === 'delay') return delayMessages([one], verdict.retry, world);
  if (verdict.kind === 'park' && !(await parkMessage(one, verdict.rejection, world))) {
    return delayMessages([one], { why: 'dead-letter-queue-unavailable' }, world);
  }
  return [];
}

async function attempt(event: RedemptionEvent, world: RedemptionWorld): Promise<Outcome> {
  const shop = world.rewardsOf(event.shop);
  if (!shop) {
    const why = 'the shop is not in the settings of the storefront';
    return { kind: 'rejected', reason: 'unreadable', why };
  }
  try {
    return await resumeRedemption(event, { ...world, ...shop });
  } catch (error) {
    world.telemetry.count('crash');
    world.telemetry.log('error', 'work on a redemption broke off', {
      ...correlationOf(event),
      ...errorFields(error),
    });
    return unfinished('broke-off');
  }
}

const unfinished = (why: 'out-of-time' | 'broke-off'): Outcome => ({
  kind: 'retry',
  why,
  afterSeconds: AFTER_UNKNOWN_OUTCOME,
});
