import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { amountHeld } from '../../local/harness/held-order.ts';
import { type RecoverOptions, recover } from '../../scripts/connector/recover/recover.ts';
import type { Session } from '../../scripts/connector/session.ts';
import { createTerminal } from '../../scripts/connector/terminal/terminal.ts';
import { ITEM } from '../../shared/aws/ledger-item.ts';
import { deploymentOf } from './console-in-browser.ts';
import type { LocalStack } from './local-stack.ts';
import type { openShoppers, Shopper } from './stack-shoppers.ts';

type Item = Record<string, AttributeValue>;

const tableOf = ({ outputs }: LocalStack): string => outputs.LedgerTable ?? '';

/** All items of the ledger, as a point-in-time restore would bring them back. */
export async function copyItems(stack: LocalStack): Promise<readonly Item[]> {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const page = await stack.dynamoDb.scan({
      TableName: tableOf(stack),
      ExclusiveStartKey: from,
      ConsistentRead: true,
    });
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
  } while (from);
  return items;
}

/** Makes the ledger what it was; without a copy it is empty, as in a new table. */
export async function restoreItems(stack: LocalStack, copy: readonly Item[] = []): Promise<void> {
  const { dynamoDb } = stack;
  const TableName = tableOf(stack);
  for (const { [ITEM.key]: key } of await copyItems(stack)) {
    if (key) await dynamoDb.deleteItem({ TableName, Key: { [ITEM.key]: key } });
  }
  for (const item of copy) await dynamoDb.putItem({ TableName, Item: item });
}

/** The command, as an operator runs it; gives its exit code and its document. */
export async function runRecover(stack: LocalStack, options: RecoverOptions) {
  const deployment = await deploymentOf(stack);
  const documents: object[] = [];
  const session = {
    terminal: {
      ...createTerminal({ quiet: true }),
      note: () => {},
      json: (document: object) => documents.push(document),
    },
    json: true,
    findDeployment: async () => deployment,
    beginChange: async () => ({ count: () => {} }),
    interruption: () => new AbortController().signal,
  } as unknown as Session;
  const code = await recover(session, options);
  return { code, document: documents[0] as { readonly tookMs: number; readonly shops: object[] } };
}

/** What both systems hold, and what each shopper sees. */
export async function stateOf(
  stack: LocalStack,
  shop: ReturnType<typeof openShoppers>,
  everyone: readonly Shopper[],
) {
  const { pointsOf, shownPoints, codesOf } = shop.look();
  const orders = stack.loyalty.state().orders.map((order) => ({
    ...{ id: order.OriginalId, customer: order.customerId, amount: amountHeld(order) },
    ...{ isCompleted: order.IsCompleted, isCancelled: order.IsCancelledOrReturned },
  }));
  const shoppers = [];
  for (const one of everyone) {
    const { redemptions = [] } = (await shop.askUntilAnswered(one, 'redemptions')) ?? {};
    const seen = (redemptions as { code: string; state: string; title: string }[]).map(
      ({ code, state, title }) => ({ code, state, title }),
    );
    shoppers.push({
      ...{ title: one.title, points: pointsOf(one), shown: shownPoints(one) },
      ...{ codes: codesOf(one), seen },
    });
  }
  return { orders: orders.toSorted((a, b) => (a.id < b.id ? -1 : 1)), shoppers };
}
