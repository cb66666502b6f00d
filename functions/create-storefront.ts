import { randomInt } from 'node:crypto';
import middy from '@middy/core';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { RECEIVER_BUDGET } from '../shared/aws/call-budget.ts';
import { createEmfTelemetry } from '../shared/aws/emf-telemetry.ts';
import {
  createSecretsCalls,
  createSqsCalls,
  settingsFromEnvironment,
} from '../shared/aws/function-clients.ts';
import { toHttpRequest, toLambdaResponse } from '../shared/aws/lambda-http.ts';
import { createSqsRedemptionQueue } from '../shared/aws/sqs-redemption-queue.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import { listRedemptions } from '../shared/core/redeem/list-redemptions.ts';
import { redeemReward } from '../shared/core/redeem/redeem-reward.ts';
import { createUsesCache, withBriefUses } from '../shared/core/storefront/brief-uses.ts';
import { createRateLimit } from '../shared/core/storefront/rate-limit.ts';
import { createStorefront } from '../shared/core/storefront/storefront.ts';
import { createCircuitBreaker } from '../shared/core/sync/circuit-breaker.ts';
import { createLoyaltyClient } from '../shared/loyalty/client.ts';
import { createConfiguredStore } from '../shared/services/configured-store.ts';
import { loyaltyAddress } from '../shared/services/loyalty-address.ts';
import { createShopSecrets } from '../shared/services/shop-secrets.ts';
import { createScriptServer } from '../shared/shopify/app-proxy/serve-script.ts';
import { type ServedShop, serveStorefront } from '../shared/shopify/app-proxy/serve-storefront.ts';
import { flushTelemetry } from './flush-telemetry.ts';
import { readEnvironment } from './read-environment.ts';
import { storefrontOf } from './storefront-of.ts';
import { REDEEM_MS, STORE_MS } from './storefront-time.ts';
import { createWatchedLedger } from './watched-ledger.ts';

/** Nobody who is not logged in is known apart, so all of them share. */
const VISITORS = 10;

const ID_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const ID_LENGTH = 12;

/** Answers what Shopify's app proxy asks on behalf of a shopper. */
export function createStorefrontFunction(connector: Connector, widgetScript: string) {
  const { rewardTypes, redeemsPerHour, readsPerMinute } = storefrontOf(connector);
  const environment = readEnvironment([
    'BALANCES_QUEUE_URL',
    'LEDGER_TABLE',
    'SECRETS_PREFIX',
    'METRICS_NAMESPACE',
  ]);
  const aws = settingsFromEnvironment(RECEIVER_BUDGET);
  const now = () => new Date();
  const telemetry = createEmfTelemetry({
    namespace: environment.METRICS_NAMESPACE,
    service: 'storefront',
  });
  const secrets = createShopSecrets(createSecretsCalls(aws), environment.SECRETS_PREFIX, telemetry);
  const ledger = createWatchedLedger(aws, environment.LEDGER_TABLE, telemetry);
  const retentionDays = connector.orderRetentionDays;
  const redeeming = {
    ledger,
    queue: createSqsRedemptionQueue(createSqsCalls(aws), environment.BALANCES_QUEUE_URL),
    telemetry,
    now,
    newId,
    settings: { rewardTypes, redeemsPerHour, retentionDays },
  };
  const store = createConfiguredStore(connector, secrets);
  const uses = createUsesCache(now);
  const storeInTime = () => withBriefUses(store.until(AbortSignal.timeout(STORE_MS)), uses);

  function openShop({ domain, path }: Connector['shops'][number]): ServedShop {
    const credentials = secrets.loyalty(path);
    const loyalty = createLoyaltyClient({
      baseUrl: loyaltyAddress(connector),
      credentials: () => credentials.get(),
    });
    const breaker = createCircuitBreaker();
    const storefront = createStorefront({
      ...{ shop: domain, ledger, loyalty, breaker, telemetry, now, rewardTypes, retentionDays },
      redeem: (request) =>
        redeemReward(request, {
          ...{ ...redeeming, loyalty, breaker, store: storeInTime() },
          deadline: AbortSignal.timeout(REDEEM_MS),
        }),
      redemptionsOf: (customerId) =>
        listRedemptions(domain, customerId, { ...redeeming, store: storeInTime() }),
    });
    const rateLimit = {
      customer: createRateLimit(readsPerMinute),
      visitors: createRateLimit(readsPerMinute * VISITORS),
    };
    return { domain, secrets: secrets.webhook(path), storefront, rateLimit };
  }

  const world = {
    shops: new Map(connector.shops.map((shop) => [shop.path, openShop(shop)])),
    script: createScriptServer(widgetScript),
    telemetry,
    now,
  };
  return middy(async (event: LambdaFunctionURLEvent) =>
    toLambdaResponse(await serveStorefront(toHttpRequest(event), world)),
  ).use(flushTelemetry(telemetry));
}

function newId(): string {
  return Array.from({ length: ID_LENGTH }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('');
}
