import type { AttributeValue, DynamoDB } from '@aws-sdk/client-dynamodb';
import { failedCondition } from '../../../shared/aws/aws-client.ts';
import { ITEM } from '../../../shared/aws/ledger-item.ts';
import { batchesOf } from '../../../shared/core/batch/run-batch.ts';

export interface CopiedLedger {
  readonly read: number;
  readonly copied: number;
}

const AT_ONCE = 25;

/** It says what pauses a shop now, not when the table was copied. */
const isControl = (item: Record<string, AttributeValue>): boolean =>
  /^control\|/.test(item[ITEM.key]?.S ?? '');

/**
 * Copies the items of a restored table into the ledger's own: those that it lacks, or with `replaces` all. What the
 * ledger has since is newer, and is kept unless it is damaged. May be repeated.
 */
export async function copyLedger(
  client: Pick<DynamoDB, 'scan' | 'putItem'>,
  {
    from,
    to,
    replaces,
  }: { readonly from: string; readonly to: string; readonly replaces: boolean },
  signal: AbortSignal,
  onProgress: (copied: CopiedLedger) => void = () => {},
): Promise<CopiedLedger> {
  let copied: CopiedLedger = { read: 0, copied: 0 };
  let after: Record<string, AttributeValue> | undefined;
  while (!signal.aborted) {
    const page = await client.scan({ TableName: from, ExclusiveStartKey: after });
    const items = (page.Items ?? []).filter((item) => !isControl(item));
    for (const some of batchesOf(items, AT_ONCE)) {
      const written = await Promise.all(
        some.map((item) =>
          client
            .putItem({
              TableName: to,
              Item: item,
              ...(!replaces && {
                ConditionExpression: 'attribute_not_exists(#key)',
                ExpressionAttributeNames: { '#key': ITEM.key },
              }),
            })
            .then(() => 1)
            .catch((error: unknown) => {
              if (failedCondition(error)) return 0;
              throw error;
            }),
        ),
      );
      const sum = written.reduce<number>((total, one) => total + one, 0);
      copied = { read: copied.read + some.length, copied: copied.copied + sum };
      onProgress(copied);
    }
    after = page.LastEvaluatedKey;
    if (after === undefined) break;
  }
  return copied;
}
