import { describe, expect, it } from 'vitest';
import {
  LOOK_UP_MS,
  REDEEM_MS,
  RESERVE_MS,
  STORE_MS,
  shareOutTime,
} from '../../../functions/wiring.ts';
import { RECEIVER_BUDGET, WORKER_BUDGET } from '../../../shared/aws/aws-client.ts';
import { checkSettings } from '../../../shared/config/settings-check.ts';
import { DEAD_LETTER_DAYS } from '../../../shared/core/batch/dead-letter.ts';
import { CALL_LIMIT_MS } from '../../../shared/core/calls/call-loyalty.ts';
import { PLACE_MS } from '../../../shared/core/calls/shop-load.ts';
import { type RetryReason, retryDelaySeconds } from '../../../shared/core/events/outcome.ts';
import { CALL_TIMEOUT_MS } from '../../../shared/loyalty/client.ts';
import {
  MAX_TRIES,
  MAX_WAIT_MS,
  REQUEST_TIMEOUT_MS,
} from '../../../shared/shopify/admin/client/admin-client.ts';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const template = synthesizeStack();

const functions = propertiesOf(template, 'AWS::Lambda::Function');
const receiver = functions.find(({ Environment }) => !Environment.Variables.LEDGER_TABLE);
const workers = functions.filter(({ Environment }) => Environment.Variables.SOURCE_QUEUE_URL);
const queues = propertiesOf(template, 'AWS::SQS::Queue');
const sources = queues.filter(({ RedrivePolicy }) => RedrivePolicy);
const workerTimeoutSeconds = Math.max(...workers.map(({ Timeout }) => Timeout));

/** Between the attempts: at most 0.5 s and 1 s, when it is throttled. */
const PAUSES_MS = 1_500;

/** Days up to which a setting is accepted, or from which. */
function bound(setting: string, days: readonly number[]): number | undefined {
  const base = {
    shops: [{ domain: 'example-store.myshopify.com' }],
    loyalty: { address: 'https://loyalty.example.com' },
  };
  return days.find((count) => checkSettings({ ...base, [setting]: count }).length === 0);
}

const longestWindowDays = bound('retryWindowDays', [30, 20, 14, 13, 12, 11, 10]) ?? 0;
const shortestMemoryDays = bound('orderRetentionDays', [10, 20, 28, 29, 30, 31, 32, 33, 34, 35]);

describe('the times of the deployment', () => {
  it('are read from a stack with three workers', () => {
    expect(workers).toHaveLength(3);
    expect(sources).toHaveLength(3);
    expect(queues).toHaveLength(6);
  });

  const awsCall = WORKER_BUDGET.attempts * WORKER_BUDGET.attemptMs + PAUSES_MS;
  const { workMs, storeMs } = shareOutTime(workerTimeoutSeconds * 1000);

  it('let the store answer the slowest question it can be asked', () => {
    const signIn = /* the secret */ awsCall + /* the token */ REQUEST_TIMEOUT_MS;
    // Every try first waits for points and then for the answer; the token is refused once.
    const tries = MAX_TRIES * (MAX_WAIT_MS + REQUEST_TIMEOUT_MS) + signIn;
    // Between the tries, but not after the refused token.
    const pauses = (MAX_TRIES - 2) * MAX_WAIT_MS;
    const ledgerRead = awsCall;
    expect(ledgerRead + signIn + tries + pauses).toBeLessThanOrEqual(storeMs);
  });

  it('leave time, whenever the store has answered, for every call and all that is written down', () => {
    // Reading the credentials counts as a part of the call.
    const calls = CALL_TIMEOUT_MS + /* the fallback of a refused cancellation */ CALL_TIMEOUT_MS;
    const ledger = /* the mark before a call */ awsCall + /* what was applied */ awsCall;
    const conflict = /* the entry is doubted */ awsCall + /* and asked for again */ awsCall;
    expect(calls + ledger + conflict).toBeLessThanOrEqual(workMs - storeMs);
  });

  it('leave a worker enough time to hand back what is unfinished', () => {
    expect(workMs + RESERVE_MS).toBe(workerTimeoutSeconds * 1000);
    // One call that delays, with all its attempts.
    expect(awsCall).toBeLessThan(RESERVE_MS);
  });

  it('keep the place of a busy shop for as long as its worker may run', () => {
    expect(PLACE_MS).toBeGreaterThanOrEqual(workerTimeoutSeconds * 1000);
    const most = propertiesOf(template, 'AWS::Lambda::EventSourceMapping').map(
      ({ ScalingConfig }) => String(ScalingConfig.MaximumConcurrency),
    );
    expect(workers.map(({ Environment }) => Environment.Variables.WORKERS).sort()).toEqual(
      most.sort(),
    );
  });

  it('hide a message for at least six time-outs of the function that works on it', () => {
    for (const { VisibilityTimeout } of sources) {
      expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * workerTimeoutSeconds);
    }
  });

  it('let the retry schedule end before SQS moves a message by itself', () => {
    let receives = 0;
    // The shortest delays that chance can give.
    for (let seconds = 0; seconds <= longestWindowDays * 86_400; receives += 1) {
      const tries = receives + 1;
      seconds += retryDelaySeconds({ why: 'time-out', receives: tries, tries }, () => 0);
    }
    expect(longestWindowDays).toBe(10);
    for (const { RedrivePolicy } of sources) {
      expect(RedrivePolicy.maxReceiveCount).toBeGreaterThan(receives);
    }
  });

  it('let a shop be paused for all the days that its messages are kept, or after ten days of retries', () => {
    const receivesIn = (days: number, reason: RetryReason, random: number) => {
      let receives = 0;
      for (let seconds = 0; seconds <= days * 86_400; receives += 1) {
        const tries = receives + 1;
        seconds += retryDelaySeconds({ ...reason, receives: tries, tries }, () => random);
      }
      return receives;
    };
    const pause: RetryReason = { why: 'shop-paused', pausedBy: 'operator' };
    // The shortest delays that chance can give; of the mixture, the average ones.
    const paused = receivesIn(DEAD_LETTER_DAYS, pause, 0);
    const retried = receivesIn(longestWindowDays, { why: 'time-out' }, 0.5);
    const mixed = retried + receivesIn(DEAD_LETTER_DAYS - longestWindowDays, pause, 0.5);
    for (const { RedrivePolicy } of sources) {
      expect(RedrivePolicy.maxReceiveCount).toBeGreaterThan(paused);
      expect(RedrivePolicy.maxReceiveCount).toBeGreaterThan(1.2 * mixed);
    }
  });

  it('keep messages and dead letters for 14 days, longer than anything is retried', () => {
    for (const { MessageRetentionPeriod } of queues) {
      expect(MessageRetentionPeriod).toBe(DEAD_LETTER_DAYS * 86_400);
      expect(MessageRetentionPeriod).toBeGreaterThan(longestWindowDays * 86_400);
    }
  });

  it('let the ledger remember longer than an event can wait, be parked and be replayed', () => {
    const days = queues[0]?.MessageRetentionPeriod / 86_400;
    expect(shortestMemoryDays).toBeGreaterThan(
      /* on its queue */ days + /* as a dead letter */ days,
    );
  });

  it('let the receiver answer before the store hangs up, and never be killed before it answers', () => {
    const sendMs = RECEIVER_BUDGET.attempts * RECEIVER_BUDGET.attemptMs;
    // After 5 s.
    expect(sendMs).toBeLessThan(4_000);
    // The secret and the message, both at their slowest.
    expect(receiver?.Timeout * 1000).toBeGreaterThan(2 * sendMs);
  });

  it('let a shopper wait for the slowest answer, and a redemption come to its record', () => {
    const withStorefront = propertiesOf(
      synthesizeStack({ storefront: {} }),
      'AWS::Lambda::Function',
    );
    const [storefront] = withStorefront.filter(
      ({ Environment: { Variables } }) => Variables.BALANCES_QUEUE_URL && Variables.LEDGER_TABLE,
    );
    const quickCall = RECEIVER_BUDGET.attempts * RECEIVER_BUDGET.attemptMs + PAUSES_MS;
    const reading = /* the secret */ quickCall + /* two pages of rewards */ 2 * CALL_LIMIT_MS;
    expect(reading).toBeLessThanOrEqual(12_000);
    // Shopify Flow waits for ten seconds, and repeats ("Create Flow action endpoints").
    expect(LOOK_UP_MS + CALL_LIMIT_MS).toBeLessThanOrEqual(8_000);
    expect(REDEEM_MS).toBeLessThan(STORE_MS);
    const redeeming = /* the secret */ quickCall + STORE_MS + /* the record */ quickCall;
    expect(redeeming).toBeLessThanOrEqual(storefront?.Timeout * 1000);
  });
});
