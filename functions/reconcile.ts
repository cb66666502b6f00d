import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { WORKER_BUDGET } from '../shared/aws/aws-client.ts';
import { createSqsEventQueue, createSqsQueueDepth } from '../shared/aws/sqs-queues.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import { createCallRate } from '../shared/core/calls/rate-limit.ts';
import { createTurns, type StoreEvent } from '../shared/core/events/event.ts';
import { type ReconcileRequest, reconcile } from '../shared/core/reconcile/reconcile.ts';
import { openStores, RESERVE } from '../shared/services/configured-store.ts';
import { HEALING } from '../shared/services/platforms.ts';
import { scanRewards } from '../shared/services/rewards.ts';
import { byDomain, openShopLoyalty, tryCredentials } from '../shared/services/shop-loyalty.ts';
import { openWithLedger, readEnvironment, withTelemetry } from './wiring.ts';

/** What is left of the function's time when scanning stops: enough to finish a page and record it. */
const RESERVE_MS = 20_000;

/** A page of a report has up to 8 MB, and needs several times as much of the function's 512 MB. */
const REPORTS_AT_ONCE = 4;

export function createReconcile(connector: Connector) {
  const { environment, sqs, telemetry, secrets, ledger, pauses, rateOf } = openWithLedger(
    connector,
    'reconcile',
    ['ORDERS_QUEUE_URL', 'PRODUCTS_QUEUE_URL', 'COUPONS_QUEUE_URL', 'WEBHOOK_ADDRESS'],
    WORKER_BUDGET,
    createCallRate,
  );
  const { storefront } = connector;
  const reports = createTurns(REPORTS_AT_ONCE);
  const queues = {
    orders: environment.ORDERS_QUEUE_URL,
    products: environment.PRODUCTS_QUEUE_URL,
    coupons: environment.COUPONS_QUEUE_URL,
    ...(storefront && { balances: readEnvironment(['BALANCES_QUEUE_URL']).BALANCES_QUEUE_URL }),
  };
  const { healing } = connector;
  const wanted = { webhookAddress: environment.WEBHOOK_ADDRESS, healing, telemetry };
  const store = openStores(
    connector,
    secrets,
    (platform, settings) => HEALING[platform].openStore(settings, wanted),
    { sandboxes: process.env.STORE_SANDBOX_ADDRESS, reserve: RESERVE },
  );
  const { deepEveryDays } = healing;
  const shops = connector.shops.map((shop) => ({ ...shop, ...HEALING[shop.platform] }));
  const { assumptions } = connector.loyalty;
  const program = byDomain(connector, (shop) => ({
    ...openShopLoyalty(connector, secrets, shop, { pauses, rateOf }),
    assumptions,
  }));
  const healingOf = byDomain(connector, ({ platform }) => HEALING[platform]);
  const dependencies = {
    ledger,
    queue: createSqsEventQueue(sqs, queues),
    topicOf: (event: Pick<StoreEvent, 'shop' | 'kind' | 'claim'>) =>
      healingOf(event.shop).topicOf(event),
    depth: createSqsQueueDepth(sqs, queues),
    program,
    telemetry,
    pauses,
    now: () => new Date(),
    deepEveryDays,
    quietProducts: healing.productChanges === 'events',
    orderRetentionDays: connector.orderRetentionDays,
  };

  async function run(
    asked: ReconcileRequest,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<void> {
    const leftMs = () => Math.max(Math.floor(context.getRemainingTimeInMillis()) - RESERVE_MS, 1);
    const deadline = AbortSignal.timeout(leftMs());
    await reconcile(shops, asked, { ...dependencies, deadline, leftMs, inTime });
  }

  function inTime(deadline: AbortSignal) {
    const askable = store.until(deadline);
    const pause = (ms: number) => sleep(ms, undefined, { signal: deadline }).catch(() => {});
    const timed = { deadline, pause, takeTurn: reports.take };
    return {
      store: askable,
      pause,
      checkShop: async (shop: string) => {
        await askable.checkSubscriptions?.(shop);
        return tryCredentials({ ...dependencies, ...program(shop), deadline });
      },
      rewards: scanRewards(connector, (shop) => ({
        ...dependencies,
        ...program(shop),
        ...timed,
      })),
    };
  }
  return withTelemetry(telemetry, run);
}
