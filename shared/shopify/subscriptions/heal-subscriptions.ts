import type { Telemetry } from '../../core/batch/telemetry.ts';
import { isInOrder } from './compare-subscriptions.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface SubscriptionHealing {
  readonly subscriptions: Subscriptions;
  readonly telemetry: Telemetry;
  /**
   * Otherwise what is wrong is only counted, for the alarm. Never where the app's configuration makes the
   * subscriptions: whether it really does cannot be seen, and what is removed here may be all there is.
   */
  readonly repair: boolean;
}

/**
 * The scheduled look at one shop's subscriptions: a webhook that is not subscribed to is lost without a
 * trace. Counts what is wrong and what was mended; a store that does not answer is asked again next time.
 */
export async function healSubscriptions(
  shop: string,
  { subscriptions, telemetry, repair }: SubscriptionHealing,
): Promise<void> {
  const checked = await subscriptions.checkSubscriptions(shop);
  if (checked.kind === 'unavailable') {
    telemetry.log('warn', 'the subscriptions could not be checked', { shop, why: checked.why });
    if (checked.misconfigured) telemetry.count('misconfigured', { why: `store-${checked.why}` });
    return;
  }
  const { findings } = checked;
  if (findings.version) {
    const { handle, retired } = findings.version;
    telemetry.log('warn', 'the webhooks come in another API version than the readers expect', {
      shop,
      apiVersion: handle,
      retired,
    });
  }
  if (isInOrder(findings)) return;

  const { missing, wrong, extra } = findings;
  for (const [why, found] of [
    ['missing', missing],
    ['wrong', wrong],
    ['extra', extra],
  ] as const) {
    if (found.length > 0) telemetry.count('subscriptions-wrong', { why }, found.length);
  }
  const counts = { missing: missing.length, wrong: wrong.length, extra: extra.length };
  telemetry.log('warn', 'webhook subscriptions are not as they should be', { shop, ...counts });
  if (!repair) return;

  for (const change of await subscriptions.repair(shop, findings)) {
    if (change.done === 'refused') {
      const { topic, why } = change;
      telemetry.log('error', 'a webhook subscription could not be mended', { shop, topic, why });
    } else {
      telemetry.count('subscriptions-repaired', { topic: change.topic });
    }
  }
}
