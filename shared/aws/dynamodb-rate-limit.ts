import type { Booking, SharedRate } from '../core/calls/rate-limit.ts';
import { type DynamoDbCalls, failedCondition } from './aws-client.ts';
import { keyOnly } from './ledger-item.ts';

export interface RateLimitOptions {
  readonly client: Pick<DynamoDbCalls, 'updateItem'>;
  readonly table: string;
  /** The shop of a loyalty account, or what stands for several shops that share one. */
  readonly account: string;
  /** Whose calls it counts. Default: those of all. */
  readonly of?: 'shoppers';
}

/** N: epoch microseconds up to which the timeline is booked; whole, because tokens may be less than 1 ms apart. */
const BOOKED = 'b';

/**
 * One item of the ledger for each loyalty account, and one for its shoppers. A booking is one write, or two when the timeline was booked
 * ahead at the last booking and is free now, or the reverse. Needs permission for UpdateItem.
 *
 * Repeating a write whose answer was lost is harmless: it books moments that will not be used.
 */
export function createDynamoDbRateLimit({
  client,
  table,
  account,
  of,
}: RateLimitOptions): SharedRate {
  let wasAhead = false;

  /** Undefined if the condition does not hold. */
  async function write(
    condition: string,
    value: string,
    values: Readonly<Record<string, number>>,
  ): Promise<number | undefined> {
    try {
      const { Attributes } = await client.updateItem({
        TableName: table,
        Key: keyOnly(`calls|${account}|${of ?? 'loyalty'}`),
        ConditionExpression: condition,
        UpdateExpression: `SET #b = ${value} + :length`,
        ExpressionAttributeNames: { '#b': BOOKED },
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(values).map(([name, number]) => [name, { N: String(number) }]),
        ),
        ReturnValues: 'UPDATED_NEW',
      });
      return Number(Attributes?.[BOOKED]?.N);
    } catch (error) {
      if (failedCondition(error)) return undefined;
      throw error;
    }
  }

  return {
    async book(lengthMs, now, latest): Promise<Booking> {
      const length = { ':length': Math.ceil(lengthMs * 1_000) };
      const from = { ':now': Math.ceil(now * 1_000) };
      // DynamoDB's numbers have no infinity.
      const until = { ':latest': Math.min(Math.floor(latest * 1_000), Number.MAX_SAFE_INTEGER) };
      const appendToIt = () =>
        write('#b BETWEEN :now AND :latest', '#b', { ...length, ...from, ...until });
      const beginNow = () =>
        write('attribute_not_exists(#b) OR #b < :now', ':now', { ...length, ...from });
      const [first, second] = wasAhead ? [appendToIt, beginNow] : [beginNow, appendToIt];
      const atFirst = await first();
      const end = atFirst ?? (await second());
      wasAhead = end === undefined || (atFirst === undefined) !== wasAhead;
      return end === undefined
        ? { kind: 'full' }
        : { kind: 'booked', from: (end - length[':length']) / 1_000 };
    },
  };
}
