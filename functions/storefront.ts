import { randomUUID } from 'node:crypto';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { RECEIVER_BUDGET } from '../shared/aws/aws-client.ts';
import { createSqsEventQueue } from '../shared/aws/sqs-queues.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import { createShopperRate } from '../shared/core/calls/rate-limit.ts';
import { isOpenDoubt } from '../shared/core/ledger/entry.ts';
import { createMembers } from '../shared/rewards/redeem/own-member.ts';
import { createRedeeming } from '../shared/rewards/redeem/redeem-reward.ts';
import {
  createCustomersOfShop,
  createRateLimit,
  createStorefront,
} from '../shared/rewards/storefront/storefront.ts';
import { openShopLoyalty } from '../shared/services/shop-loyalty.ts';
import { type AdminSecret, parseAdminSecret } from '../shared/shopify/admin/client/admin-secret.ts';
import type { ServedShop } from '../shared/shopify/storefront-requests/caller.ts';
import { serveStorefront } from '../shared/shopify/storefront-requests/serve-storefront.ts';
import { createLazyStore } from './lazy-store.ts';
import {
  LOOK_UP_MS,
  openWithLedger,
  REDEEM_MS,
  STORE_MS,
  storefrontOf,
  toHttpRequest,
  withTelemetry,
} from './wiring.ts';

/**
 * Shoppers who are not logged in cannot be distinguished, so all of them share one limit; so do all tills
 * of a shop beside the limit of each user.
 */
const SHARED_LIMIT_FACTOR = 10;
/** One till serves one customer after another. */
const TILL_FACTOR = 2;

/** Answers what shoppers ask, through Shopify's app proxy or an extension, and what tills ask for them. */
export function createStorefrontFunction(
  connector: Connector,
  script = async () => (await import('./widget-script.ts')).default,
) {
  const settings = storefrontOf(connector);
  const { posCustomerId, rewardTypes, redeemsPerHour, readsPerMinute, takeBack } = settings;
  const { environment, sqs, telemetry, secrets, ledger, pauses, rateOf } = openWithLedger(
    connector,
    'storefront',
    ['BALANCES_QUEUE_URL'],
    RECEIVER_BUDGET,
    createShopperRate,
  );
  const now = () => new Date();
  const retentionDays = connector.orderRetentionDays;
  const keepsMetadata = connector.loyalty.assumptions.redemptionsKeepMetadata;
  const queue = createSqsEventQueue(sqs, {
    balances: environment.BALANCES_QUEUE_URL,
  });
  const redeeming = {
    ledger,
    queue,
    telemetry,
    now,
    newKey: randomUUID,
    ...{ rewardTypes, redeemsPerHour, retentionDays, keepsMetadata, takeBack },
  };
  const store = createLazyStore(connector, secrets);

  function openShop(configured: Connector['shops'][number]): ServedShop {
    const { domain, path, rules } = configured;
    const credentials = secrets.store(path, parseAdminSecret);
    const opened = openShopLoyalty(connector, secrets, configured, { pauses, rateOf });
    const members = createMembers({ ...opened, shop: domain, telemetry, now, posCustomerId });
    const { customers } = rules;
    const program = { ...opened, members, telemetry, now, rewardTypes, customers };
    const storefront = {
      ...createStorefront({
        ...program,
        shop: domain,
        ledger,
        queue,
        retentionDays,
        takeBack,
        taxInPrices: rules.taxes === 'exclude' ? settings.taxInPrices : 0,
        // Of all who ask: a visitor may ask with a new price each time, and is one of many who cannot be told apart.
        pointCallsPerMinute: readsPerMinute,
        flow: settings.flow,
      }),
      ...createRedeeming(domain, () => ({
        ...redeeming,
        ...opened,
        members,
        store: store.within(STORE_MS),
        inDoubt: () => isOpenDoubt(pauses.doubtOf(domain)),
        deadline: AbortSignal.timeout(REDEEM_MS),
      })),
    };
    const rateLimit = {
      customer: createRateLimit(readsPerMinute),
      anonymous: createRateLimit(readsPerMinute * SHARED_LIMIT_FACTOR),
      staff: createRateLimit(readsPerMinute * TILL_FACTOR),
      tills: createRateLimit(readsPerMinute * TILL_FACTOR * SHARED_LIMIT_FACTOR),
    };
    const clientId = () => clientIdOf(credentials);
    const lookUp = () => store.within(LOOK_UP_MS);
    const hasCustomer = createCustomersOfShop(domain, lookUp, now);
    const proofs = { secrets: secrets.webhook(path), clientId, hasCustomer };
    const observers = configured.mode === 'observe' ? configured.observers : undefined;
    return { domain, ...proofs, storefront, rateLimit, observers };
  }

  const dependencies = {
    shops: new Map(connector.shops.map((shop) => [shop.path, openShop(shop)])),
    script,
    telemetry,
    now,
  };
  return withTelemetry(telemetry, async (event: LambdaFunctionURLEvent) => {
    const {
      status: statusCode,
      headers,
      ...answer
    } = await serveStorefront(toHttpRequest(event), dependencies);
    return { statusCode, headers: { ...headers }, ...answer };
  });
}

/** Undefined if the secret holds an app without one. Throws where the secret cannot be read now. */
async function clientIdOf(credentials: AdminSecret): Promise<string | undefined> {
  const read = await credentials.get();
  if (read === 'unreachable') throw new Error("the app's credentials cannot be read");
  return read === 'unusable' ? undefined : read.clientId;
}
