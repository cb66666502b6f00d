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
import { type PointsWorld, receivePoints } from '../shared/core/balances/receive-points.ts';
import { createShopSecrets } from '../shared/services/shop-secrets.ts';
import { surround } from './surround.ts';
import { openTelemetry, readEnvironment, storefrontOf } from './wiring.ts';

export function createPointsReceiver(connector: Connector) {
  const { customerIdIn } = storefrontOf(connector);
  const environment = readEnvironment([
    'BALANCES_QUEUE_URL',
    'SECRETS_PREFIX',
    'METRICS_NAMESPACE',
  ]);
  const aws = settingsFromEnvironment(RECEIVER_BUDGET);
  const telemetry = openTelemetry(connector, 'receive-points', environment.METRICS_NAMESPACE);
  const secrets = createShopSecrets(createSecretsCalls(aws), environment.SECRETS_PREFIX, telemetry);
  const world: PointsWorld = {
    shops: new Map(
      connector.shops.map(({ domain, path }) => [path, { domain, tokens: secrets.points(path) }]),
    ),
    customerIdIn,
    queue: createSqsEventQueue(createSqsCalls(aws), { balances: environment.BALANCES_QUEUE_URL }),
    telemetry,
    now: () => new Date(),
  };
  return surround(telemetry, async (event: LambdaFunctionURLEvent) =>
    toLambdaAnswer(await receivePoints(toHttpRequest(event), world)),
  );
}
