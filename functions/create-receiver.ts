import type { LambdaFunctionURLEvent } from 'aws-lambda';
import {
  createSecretsCalls,
  createSqsCalls,
  settingsFromEnvironment,
} from '../shared/aws/function-clients.ts';
import { RECEIVER_BUDGET } from '../shared/aws/json-service.ts';
import { toHttpRequest, toLambdaAnswer } from '../shared/aws/lambda-events.ts';
import { createSqsEventQueue } from '../shared/aws/sqs-event-queue.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import { createShopSecrets } from '../shared/services/shop-secrets.ts';
import { API_VERSION } from '../shared/shopify/api-version.ts';
import { type ReceivingWorld, receiveWebhook } from '../shared/shopify/webhooks/receive-webhook.ts';
import { surround } from './surround.ts';
import { openTelemetry, readEnvironment } from './wiring.ts';

export function createReceiver(connector: Connector) {
  const environment = readEnvironment([
    'ORDERS_QUEUE_URL',
    'PRODUCTS_QUEUE_URL',
    'COUPONS_QUEUE_URL',
    'SECRETS_PREFIX',
    'METRICS_NAMESPACE',
  ]);
  const aws = settingsFromEnvironment(RECEIVER_BUDGET);
  const telemetry = openTelemetry(connector, 'receive-webhook', environment.METRICS_NAMESPACE);
  const secrets = createShopSecrets(createSecretsCalls(aws), environment.SECRETS_PREFIX, telemetry);
  const world: ReceivingWorld = {
    shops: new Map(
      connector.shops.map(({ domain, path, orderSilence }) => [
        `/${path}`,
        { domain, secrets: secrets.webhook(path), watchesSilence: orderSilence !== false },
      ]),
    ),
    queue: createSqsEventQueue(createSqsCalls(aws), {
      orders: environment.ORDERS_QUEUE_URL,
      products: environment.PRODUCTS_QUEUE_URL,
      coupons: environment.COUPONS_QUEUE_URL,
    }),
    telemetry,
    now: () => new Date(),
    apiVersion: API_VERSION,
  };
  return surround(telemetry, async (event: LambdaFunctionURLEvent) =>
    toLambdaAnswer(await receiveWebhook(toHttpRequest(event), world)),
  );
}
