import { SQS } from '@aws-sdk/client-sqs';
import { createSqsEventQueue, createSqsQueueDepth } from '../../../shared/aws/sqs-event-queue.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import type { BulkQueue, QueueDepth } from '../../../shared/core/events/queues.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { enrichmentOf } from '../../../shared/services/configured-store.ts';
import type { Ask } from '../../../shared/shopify/admin/client/admin-client.ts';
import type { Enrichment } from '../../../shared/shopify/admin/orders/enrichment.ts';
import { findShop } from '../arguments/find-shop.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { openShopServices } from '../deployment/shop-services.ts';
import { type Backfills, openBackfills } from './backfill-state.ts';

/** What a backfill of one shop works with. */
export interface OpenBackfill {
  readonly deployment: Deployment;
  readonly shop: Shop;
  readonly ask: Ask;
  readonly enrichment: Enrichment;
  readonly ledger: Ledger;
  readonly backfills: Backfills;
  readonly queue: Pick<BulkQueue, 'sendAll'>;
  readonly depth: QueueDepth;
}

export function openBackfill(deployment: Deployment, named: string | undefined): OpenBackfill {
  const { aws, output, connector } = deployment;
  const shop = findShop(connector, named);
  const ledger = openLedger(deployment);
  const sqs = new SQS(aws);
  const urls = {
    orders: output('OrdersQueueUrl'),
    products: output('ProductsQueueUrl'),
    coupons: output('CouponsQueueUrl'),
  };
  return {
    deployment,
    shop,
    ask: openShopServices(deployment).ask(shop),
    enrichment: enrichmentOf(shop.rules),
    ledger,
    backfills: openBackfills(ledger, shop.domain, () => new Date()),
    queue: createSqsEventQueue(sqs, urls, { requestsAtOnce: 4 }),
    depth: createSqsQueueDepth(sqs, urls),
  };
}
