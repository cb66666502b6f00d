import type { SourceQueue, TracedMessage } from '../events/queues.ts';
import type { RetryReason } from './outcome.ts';
import { type ParkingWorld, parkMessage } from './park-message.ts';
import { isRetryWindowOver, retryDelaySeconds } from './retry-policy.ts';
import { correlationOf, errorFields } from './telemetry.ts';

export interface DelayWorld extends ParkingWorld {
  readonly source: SourceQueue;
  readonly random: () => number;
  readonly retryWindowDays: number;
}

/** Parks what is too old, delays the rest together; returns the ids that stay on the queue. */
export async function delayMessages(
  unsettled: readonly TracedMessage[],
  retry: RetryReason,
  world: DelayWorld,
): Promise<readonly string[]> {
  const stay: TracedMessage[] = [];
  for (const item of unsettled) {
    const over = item.event && isRetryWindowOver(item.event, world.retryWindowDays, world.now());
    const rejection = {
      reason: 'retry-window-over',
      why: `gave up after ${world.retryWindowDays} days of retries; last reason: ${retry.why}`,
    } as const;
    if (!over || !(await parkMessage(item, rejection, world))) stay.push(item);
  }
  if (stay.length === 0) return [];

  const attempts = Math.max(...stay.map(({ message }) => message.attempts));
  const seconds = retryDelaySeconds({ attempts, ...retry }, world.random);
  for (const { event } of stay) {
    world.telemetry.count('retried', { why: retry.why, ...(event && { kind: event.kind }) });
    world.telemetry.log('warn', 'will be tried again', {
      ...(event && correlationOf(event)),
      why: retry.why,
      afterSeconds: seconds,
      attempts,
    });
  }
  if (retry.misconfigured) world.telemetry.count('misconfigured', { why: retry.why });
  if (retry.throttled) world.telemetry.count('throttled', { why: retry.why });
  const kept = stay.map(({ message }) => message);
  try {
    await world.source.delay(kept, seconds);
  } catch (error) {
    // Harmless: they come back after the queue's own visibility instead.
    world.telemetry.log('warn', 'the delay could not be set', errorFields(error));
  }
  return kept.map(({ messageId }) => messageId);
}
