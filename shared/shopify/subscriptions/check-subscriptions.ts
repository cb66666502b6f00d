import type { Telemetry } from '../../core/events/telemetry.ts';
import { isInOrder } from './compare-subscriptions.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface SubscriptionCheck {
  readonly subscriptions: Subscriptions;
  readonly telemetry: Telemetry;
  /**
   * False: differences are only counted, for the alarm. It must be false where the app's configuration
   * creates the subscriptions: the Admin API does not show those, so a subscription removed here may be
   * the only one.
   */
  readonly repair: boolean;
}

/**
 * The scheduled check of one shop's subscriptions: without a subscription, changes are missed without
 * any error. When the store does not answer, the next run checks again.
 */
export async function checkSubscriptions(
  shop: string,
  { subscriptions, telemetry, repair }: SubscriptionCheck,
): Promise<void> {
  const checked = await subscriptions.check(shop);
  if (checked.kind === 'unavailable') {
    telemetry.log('warn', 'the subscriptions could not be checked', { shop, why: checked.why });
    if (checked.misconfigured) telemetry.count('misconfigured', { why: `store-${checked.why}` });
    return;
  }
  const { findings } = checked;
  if (findings.version) {
    const { handle, retired } = findings.version;
    telemetry.log('warn', 'webhooks have another API version than the readers expect', {
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
      telemetry.log('error', 'a webhook subscription could not be repaired', { shop, topic, why });
    } else {
      telemetry.log('info', 'a webhook subscription was repaired', { shop, topic: change.topic });
    }
  }
}
