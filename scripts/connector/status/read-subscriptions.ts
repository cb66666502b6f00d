import {
  createSubscriptions,
  type SubscriptionFindings,
} from '../../../shared/shopify/subscriptions/subscriptions.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import type { SubscriptionStatus } from './status-model.ts';

/** The webhook subscriptions of every shop, judged as in the scheduled run. */
export async function readSubscriptions(
  deployment: Deployment,
): Promise<readonly SubscriptionStatus[]> {
  const { connector, output } = deployment;
  const services = openShopServices(deployment);
  const shops = new Map(connector.shops.map((shop) => [shop.domain, shop]));
  const find = (domain: string) => {
    const shop = shops.get(domain);
    if (!shop) throw new Error('a shop that is not configured was asked for');
    return shop;
  };
  const madeBy = connector.healing.subscriptions;
  const subscriptions = createSubscriptions({
    ask: (domain) => services.ask(find(domain)),
    shopOf: find,
    webhookAddress: output('WebhookAddress'),
    madeBy,
    products: connector.healing,
  });
  return Promise.all(
    [...shops.keys()].map(async (shop): Promise<SubscriptionStatus> => {
      const checked = await subscriptions.check(shop);
      if (checked.kind === 'unavailable') {
        const why = `the store does not tell (${checked.why})`;
        return { shop, found: { kind: 'unknown', why } };
      }
      const { findings } = checked;
      const notes = [
        ...versionNotes(findings),
        ...(madeBy === 'app-configuration'
          ? [
              "the app's configuration makes the webhook subscriptions, which cannot be seen from here",
            ]
          : []),
        ...(connector.healing.productChanges === 'events'
          ? ['changes of products come by Events, which cannot be seen from here']
          : []),
      ];
      const value = { right: findings.fine.length, faults: faultsOf(findings), notes };
      return { shop, found: { kind: 'known', value } };
    }),
  );
}

function faultsOf({ missing, wrong, extra, version }: SubscriptionFindings): readonly string[] {
  return [
    ...missing.map(({ topic }) => `the subscription of ${topic} is missing`),
    ...wrong.map(({ wanted, differs }) => `${wanted.topic} differs in ${differs.join(', ')}`),
    ...extra.map(({ topic }) => `${topic} is subscribed to once too often`),
    ...(version?.retired ? [`webhooks come in the retired API version ${version.handle}`] : []),
  ];
}

function versionNotes({ version }: SubscriptionFindings): readonly string[] {
  if (!version || version.retired) return [];
  return [`webhooks come in API version ${version.handle}, which the readers were not written for`];
}
