import type { Shop } from '../../../shared/config/connector-config.ts';
import { API_VERSION } from '../../../shared/shopify/entity-id.ts';
import {
  createSubscriptions,
  isInOrder,
  type SubscriptionFindings,
  type Subscriptions,
} from '../../../shared/shopify/subscriptions/subscriptions.ts';
import { findShop } from '../arguments.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openShopServices, storeProblem } from '../deployment/services.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface WebhookOptions {
  readonly shop?: string;
}

export interface ShopFindings {
  readonly shop: Shop;
  readonly findings: SubscriptionFindings;
}

/** The subscriptions of a deployment; the settings say where they go and how they are created. */
export function openSubscriptions(deployment: Deployment): Subscriptions {
  const { connector, output } = deployment;
  const services = openShopServices(deployment);
  const find = (domain: string) => findShop(connector, domain);
  return createSubscriptions({
    ask: (domain) => services.ask(find(domain)),
    shopOf: find,
    webhookAddress: output('WebhookAddress'),
    madeBy: connector.healing.subscriptions,
    products: connector.healing,
  });
}

/** Of every shop, or of the given one; throws when a store does not answer. */
export async function findSubscriptions(
  subscriptions: Subscriptions,
  deployment: Deployment,
  { shop: named }: WebhookOptions,
): Promise<readonly ShopFindings[]> {
  const { connector } = deployment;
  const shops = named === undefined ? connector.shops : [findShop(connector, named)];
  const found: ShopFindings[] = [];
  for (const shop of shops) {
    const checked = await subscriptions.check(shop.domain);
    if (checked.kind === 'unavailable') throw storeProblem(checked.answer, deployment);
    found.push({ shop, findings: checked.findings });
  }
  return found;
}

/** True: neither the connector nor a person has anything to do. */
export function isHealthy({ findings }: ShopFindings): boolean {
  return isInOrder(findings) && findings.version?.retired !== true;
}

export function printFindings(terminal: Terminal, { shop, findings }: ShopFindings): void {
  const rows = rowsOf(findings);
  const { length: fine } = findings.fine;
  const state = isHealthy({ shop, findings }) ? 'in order' : 'not in order';
  terminal.line(
    `${shop.domain}: ${state}, ${fine} of ${fine + needing(findings)} as they should be`,
  );
  if (rows.length > 0) {
    terminal.table({
      columns: [{ title: 'state' }, { title: 'topic' }, { title: 'detail', shrinks: true }],
      rows,
    });
  }
  const { version } = findings;
  if (version) {
    terminal.line(
      `${version.retired ? 'Retired: the' : 'The'} webhooks come in API version ${version.handle}; the connector is written for ${API_VERSION}.`,
    );
    terminal.line(
      "Set the app's webhook API version in its configuration: a subscription has none.",
    );
  }
}

const needing = ({ missing, wrong }: SubscriptionFindings): number => missing.length + wrong.length;

function rowsOf({ missing, wrong, extra, covered, other }: SubscriptionFindings): string[][] {
  return [
    ...missing.map(({ topic }) => ['missing', topic, '']),
    ...wrong.map(({ wanted, differs }) => ['wrong', wanted.topic, `other ${differs.join(', ')}`]),
    ...extra.map(({ topic, uri }) => ['too many', topic, uri]),
    ...covered.map(({ topic }) => ['covered', topic, 'Events announce it too']),
    ...other.map(({ topic, uri }) => ['other', topic, uri]),
  ];
}

/** For `--json`. */
export function findingsDocument({ shop, findings }: ShopFindings) {
  const { fine, missing, wrong, extra, covered, other, version } = findings;
  return {
    shop: shop.domain,
    inOrder: isHealthy({ shop, findings }),
    fine: fine.map(({ topic }) => topic),
    missing: missing.map(({ topic }) => topic),
    wrong: wrong.map(({ wanted, differs }) => ({ topic: wanted.topic, differs })),
    extra: extra.map(({ id, topic, uri }) => ({ id, topic, uri })),
    covered: covered.map(({ id, topic, uri }) => ({ id, topic, uri })),
    other: other.map(({ id, topic, uri }) => ({ id, topic, uri })),
    apiVersion: version ?? { handle: API_VERSION, retired: false },
  };
}
