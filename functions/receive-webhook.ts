import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { RECEIVER_BUDGET } from '../shared/aws/aws-client.ts';
import { createSqsEventQueue } from '../shared/aws/sqs-queues.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import {
  countInMinute,
  type ReceiverDependencies,
  receiveDelivery,
} from '../shared/core/events/receive-delivery.ts';
import { DELIVERIES } from '../shared/services/platforms.ts';
import { openFunction, toHttpRequest, toLambdaAnswer, withTelemetry } from './wiring.ts';

export function createReceiver(connector: Connector) {
  const { environment, sqs, telemetry, secrets } = openFunction(
    connector,
    'receive-webhook',
    ['ORDERS_QUEUE_URL', 'PRODUCTS_QUEUE_URL', 'COUPONS_QUEUE_URL'],
    RECEIVER_BUDGET,
  );
  const now = () => new Date();
  const dependencies: ReceiverDependencies = {
    shops: new Map(
      connector.shops.map((shop) => [
        `/${shop.path}`,
        {
          domain: shop.domain,
          secrets: secrets.webhook(shop.path),
          deliveries: DELIVERIES[shop.platform],
        },
      ]),
    ),
    queue: createSqsEventQueue(sqs, {
      orders: environment.ORDERS_QUEUE_URL,
      products: environment.PRODUCTS_QUEUE_URL,
      coupons: environment.COUPONS_QUEUE_URL,
    }),
    telemetry,
    now,
    countOfEntity: countInMinute(now),
  };
  return withTelemetry(telemetry, async (event: LambdaFunctionURLEvent) =>
    toLambdaAnswer(await receiveDelivery(toHttpRequest(event), dependencies)),
  );
}
