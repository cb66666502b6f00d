import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { RECEIVER_BUDGET } from '../shared/aws/aws-client.ts';
import { createSqsEventQueue } from '../shared/aws/sqs-queues.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import {
  type PointsDeps,
  parsePointTokens,
  receivePoints,
} from '../shared/rewards/balances/receive-points.ts';
import {
  openFunction,
  storefrontOf,
  toHttpRequest,
  toLambdaAnswer,
  withTelemetry,
} from './wiring.ts';

export function createPointsReceiver(connector: Connector) {
  const { customerIdIn } = storefrontOf(connector);
  const { environment, sqs, telemetry, secrets } = openFunction(
    connector,
    'receive-points',
    ['BALANCES_QUEUE_URL'],
    RECEIVER_BUDGET,
  );
  const dependencies: PointsDeps = {
    shops: new Map(
      connector.shops.map(({ domain, path }) => [
        path,
        { domain, tokens: secrets.points(path, parsePointTokens) },
      ]),
    ),
    customerIdIn,
    queue: createSqsEventQueue(sqs, { balances: environment.BALANCES_QUEUE_URL }),
    telemetry,
    now: () => new Date(),
  };
  return withTelemetry(telemetry, async (event: LambdaFunctionURLEvent) =>
    toLambdaAnswer(await receivePoints(toHttpRequest(event), dependencies)),
  );
}
