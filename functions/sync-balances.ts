import { createSqsEventQueue } from '../shared/aws/sqs-queues.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import { createMembers } from '../shared/rewards/redeem/own-member.ts';
import { settleStorefront } from '../shared/rewards/redeem/settle-storefront.ts';
import { createConfiguredStore } from '../shared/services/configured-store.ts';
import { openShopLoyalty } from '../shared/services/shop-loyalty.ts';
import { openWorker, storefrontOf } from './wiring.ts';

/** A whole batch. */
const PARALLEL = 10;

export function createBalanceWorker(connector: Connector) {
  const { metafieldNamespace, customerIdIn, flow, posCustomerId } = storefrontOf(connector);
  const worker = openWorker(connector, 'balances', [], PARALLEL);
  const { environment, sqs, secrets, limits, common, handle } = worker;
  const shops = new Map(
    connector.shops.map((shop) => {
      const opened = openShopLoyalty(connector, secrets, shop, limits);
      const { telemetry, now } = common;
      const named = { shop: shop.domain, posCustomerId, telemetry, now };
      return [shop.domain, { ...opened, members: createMembers({ ...opened, ...named }) }];
    }),
  );
  const store = createConfiguredStore(connector, secrets);
  const dependencies = {
    ...common,
    queue: createSqsEventQueue(sqs, { balances: environment.SOURCE_QUEUE_URL }),
    retentionDays: connector.orderRetentionDays,
    customerIdIn,
    shops,
  };
  return handle(({ work: deadline, store: until }) => {
    const inTime = store.until(until);
    const balances = inTime.balancesIn(metafieldNamespace);
    return {
      ...dependencies,
      ...{ store: inTime, customers: inTime, balances, deadline },
      ...(flow && { announcing: { ...flow, announce: inTime.announce } }),
    };
  }, settleStorefront);
}
