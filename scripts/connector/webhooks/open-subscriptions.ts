import type { Shop } from '../../../shared/config/connector-config.ts';
import type { SubscriptionFindings } from '../../../shared/shopify/subscriptions/compare-subscriptions.ts';
import {
  createSubscriptions,
  type Subscriptions,
} from '../../../shared/shopify/subscriptions/subscriptions.ts';
import { findShop } from '../arguments/find-shop.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/shop-services.ts';
import { storeProblemFrom } from '../deployment/store-problem.ts';

export interface WebhookOptions {
  readonly shop?: string;
}

export interface ShopFindings {
  readonly shop: Shop;
  readonly findings: SubscriptionFindings;
}

/** The subscriptions of a deployment; the shop's settings say where they go and who makes them. */
export function openSubscriptions(deployment: Deployment): Subscriptions {
  const { connector, output } = deployment;
  const services = openShopServices(deployment);
  const find = (domain: string) => findShop(connector, domain);
  return createSubscriptions({
    ask: (domain) => services.ask(find(domain)),
    pathOf: (domain) => find(domain).path,
    webhookAddress: output('WebhookAddress'),
    madeBy: connector.healing.subscriptions,
  });
}

/** Of every shop, or of the one that was named; throws when a store cannot be asked. */
export async function findSubscriptions(
  subscriptions: Subscriptions,
  { connector, where }: Deployment,
  { shop: named }: WebhookOptions,
): Promise<readonly ShopFindings[]> {
  const shops = named === undefined ? connector.shops : [findShop(connector, named)];
  const found: ShopFindings[] = [];
  for (const shop of shops) {
    const checked = await subscriptions.checkSubscriptions(shop.domain);
    if (checked.kind === 'unavailable') throw storeProblemFrom(checked.why, where);
    found.push({ shop, findings: checked.findings });
  }
  return found;
}
