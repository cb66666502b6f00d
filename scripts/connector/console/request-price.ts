import * as v from 'valibot';
import { PRICES } from '../../build/cost/prices.ts';

export interface PricedRequest {
  /** As in the signature: `sqs`, `monitoring`. */
  readonly service: string;
  readonly operation: string;
  readonly body: string;
  /** 0: not known. */
  readonly answerBytes: number;
}

/**
 * US dollars of one request to AWS, without any free tier. DynamoDB bills bytes of items, of which the bytes of
 * the request or answer are the upper bound.
 */
export function priceOf({ service, operation, body, answerBytes }: PricedRequest): number {
  const { sqsFifoPerRequest, dynamoDb, secret, cloudWatch } = PRICES;
  switch (service) {
    case 'sqs':
      return (
        sqsFifoPerRequest * Math.max(Math.ceil(Math.max(body.length, answerBytes) / 65_536), 1)
      );
    case 'secretsmanager':
      return secret.perCall;
    case 'monitoring':
      return operation === 'GetMetricData'
        ? Math.max(partsOf(body).MetricDataQueries.length, 1) * cloudWatch.perMetricRead
        : cloudWatch.perRequest;
    case 'dynamodb':
      return /^(Get|BatchGet|Query|Scan|TransactGet)/.test(operation)
        ? Math.max(Math.ceil(answerBytes / 4_096), itemsIn(body)) * dynamoDb.perRead
        : Math.max(Math.ceil(body.length / 1_024), itemsIn(body)) * dynamoDb.perWrite;
    // Describing a stack, a function or a topic costs nothing.
    default:
      return 0;
  }
}

const list = v.optional(v.array(v.unknown()), []);
const sent = v.object({
  MetricDataQueries: list,
  TransactItems: list,
  RequestItems: v.optional(
    v.record(v.string(), v.union([v.array(v.unknown()), v.object({ Keys: list })])),
    {},
  ),
});
const ofJson = v.pipe(v.string(), v.parseJson(), sent);

/** Of a body in another form it counts one: an unknown price must not stop the command. */
function partsOf(body: string) {
  const parsed = v.safeParse(ofJson, body);
  return parsed.success ? parsed.output : v.parse(sent, {});
}

/** What a request reads or writes, at least one. A transaction is billed twice. */
function itemsIn(body: string): number {
  const { RequestItems, TransactItems } = partsOf(body);
  const inBatches = Object.values(RequestItems)
    .map((table) => (Array.isArray(table) ? table : table.Keys).length)
    .reduce((sum, one) => sum + one, 0);
  return Math.max(inBatches, TransactItems.length * 2, 1);
}
