import { join } from 'node:path';
import { amountHeld } from '../../local/harness/held-order.ts';
import { createDynamoDbClient } from '../../local/harness/sdk-clients.ts';
import { type LoyaltySandbox, startLoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import { compare, listSandbox } from '../../local/stack/demo/compare.ts';
import { startDynamoDb } from '../../local/stack/emulators.ts';
import { sandboxFile } from '../../local/stack/start-sandboxes.ts';
import { type StoreSandbox, startStoreSandbox } from '../../local/store-sandbox/sandbox.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import type { Connector, Shop } from '../../shared/config/connector-config.ts';
import type { EntityKey } from '../../shared/core/events/event.ts';
import { type LedgerEntry, ledgerKeyText } from '../../shared/core/ledger/ledger.ts';
import type { AcceptedWebhook } from './run-logs.ts';

/** About one shop. */
export interface Verdict {
  readonly shop: string;
  readonly orders: number;
  readonly products: number;
  readonly coupons: number;
  readonly balances: number;
  /** One sentence for each: missing in the loyalty service, or without a known outcome. */
  readonly lost: readonly string[];
  /** One sentence for each order that earned more than it is worth. */
  readonly doubled: readonly string[];
  /** Accepted webhooks whose log line was lost with a killed process, but whose outcome is in the ledger. */
  readonly settledByLedger: number;
  /** Calls that sent an order again in the same state. */
  readonly sentAgain: number;
  /** When the loyalty service answered with 429: epoch milliseconds. */
  readonly throttledAt: readonly number[];
}

/**
 * Reads the data that the run left on disk, independently of the connector.
 * See docs/decisions/0033-the-simulation-runs-the-real-core-from-a-seed.md.
 */
export async function judge(
  run: { readonly data: string; readonly table: string; readonly connector: Connector },
  shop: Shop,
  accepted: readonly AcceptedWebhook[],
): Promise<Verdict> {
  const dataFile = (name: 'store' | 'loyalty') =>
    join(run.data, sandboxFile(run.connector, shop, name));
  const store = await startStoreSandbox({
    shop: { domain: shop.domain },
    dataFile: dataFile('store'),
    settings: { bucketSize: 1_000_000, restorePerSecond: 100_000 },
  });
  const loyalty = await startLoyaltySandbox({ dataFile: dataFile('loyalty') });
  const aws = await startDynamoDb(run.data);
  try {
    const { differences, ...same } = await compare(listSandbox(store), loyalty, shop, new Date());
    const points = judgePoints(loyalty);
    const balances = judgeBalances(store, loyalty);
    const open = accepted.filter(
      (webhook) => webhook.shop === shop.domain && webhook.outcome === undefined,
    );
    const unaccounted = await notInLedger(open, aws.endpoint, run.table, shop.domain);
    return {
      shop: shop.domain,
      ...same,
      balances: balances.right,
      lost: [
        ...differences,
        ...points.lost,
        ...balances.wrong,
        ...unaccounted.map(
          ({ id, kind, entityId }) =>
            `webhook ${id} of ${kind} ${entityId}: its outcome is unknown`,
        ),
      ],
      doubled: points.doubled,
      settledByLedger: open.length - unaccounted.length,
      sentAgain: countSentAgain(loyalty),
      throttledAt: loyalty.journal
        .entries()
        .flatMap(({ status, at }) => (status === 429 ? [Date.parse(at)] : [])),
    };
  } finally {
    await aws.stop();
    await loyalty.stop();
    await store.stop();
  }
}

/** Every order has the points it is worth, once. */
function judgePoints(loyalty: LoyaltySandbox) {
  const { orders, points } = loyalty.state();
  const earned = Map.groupBy(points, ({ source }) =>
    source.kind === 'order' ? source.orderId : '',
  );
  const lost: string[] = [];
  const doubled: string[] = [];
  for (const order of orders) {
    const { OriginalId: id, IsCompleted, IsCancelledOrReturned } = order;
    const due = IsCompleted && !IsCancelledOrReturned ? Math.round(amountHeld(order) * 100) : 0;
    const records = earned.get(id) ?? [];
    const got = records.reduce((sum, one) => sum + Math.round(one.points * 100), 0);
    const words = `order ${id}: it earned ${got / 100} in ${records.length} records and is worth ${due / 100}`;
    if (got > due || records.length > 1) doubled.push(words);
    else if (got < due) lost.push(words);
  }
  return { lost, doubled };
}

/** Every customer's metafield shows the points that the loyalty service has. */
function judgeBalances(store: StoreSandbox, loyalty: LoyaltySandbox) {
  const shown = new Map(
    store
      .state()
      .metafields.filter(({ key }) => key === 'points')
      .map(({ ownerGid, value }) => [ownerGid.split('/').at(-1), Number(value)]),
  );
  const known = loyalty.state().customers.filter(({ OriginalId: id }) => shown.has(id));
  const unseen = loyalty
    .state()
    .customers.filter(({ OriginalId: id, points }) => !shown.has(id) && points > 0);
  const wrong = [...known, ...unseen].filter(
    ({ OriginalId: id, points }) => shown.get(id) !== points,
  );
  return {
    right: known.length + unseen.length - wrong.length,
    wrong: wrong.map(
      ({ OriginalId: id, points }) =>
        `customer ${id}: the store shows ${shown.get(id) ?? 'no'} points, the service has ${points}`,
    ),
  };
}

async function notInLedger(
  webhooks: readonly AcceptedWebhook[],
  endpoint: string,
  table: string,
  shop: string,
): Promise<readonly AcceptedWebhook[]> {
  const budget = { connectMs: 10_000, attemptMs: 60_000, attempts: 2 };
  const client = createDynamoDbClient({ budget, emulator: { endpoint } });
  const ledger = createDynamoDbLedger({ client, table });
  const keyOf = ({ kind, entityId }: AcceptedWebhook) =>
    ({ shop, kind, id: entityId }) as EntityKey;
  const entries = await ledger.readMany(webhooks.map(keyOf));
  client.destroy();
  return webhooks.filter((webhook) => {
    const entry = entries.get(ledgerKeyText(keyOf(webhook)));
    return !entry || !hasSettled(entry, webhook);
  });
}

/** The ledger has this version or a newer one, or an outcome that is later than the webhook. */
function hasSettled(entry: LedgerEntry, { version, receivedAt }: AcceptedWebhook): boolean {
  if (entry.uncertain) return false;
  if (version !== undefined && entry.version >= version) return true;
  return entry.outcomes.some(({ at }) => Date.parse(at) >= receivedAt);
}

/** Sending twice is allowed (at least once); in the same state an order earns nothing more. */
function countSentAgain(loyalty: LoyaltySandbox): number {
  const last = new Map<string, string>();
  let count = 0;
  for (const { body, fault } of loyalty.journal.entries({ operation: 'sendOrder' })) {
    if (fault === 'outage') continue;
    const { UpdatedDate: _, ...order } = (body ?? {}) as Readonly<Record<string, unknown>>;
    const id = String(order.OriginalId);
    const state = JSON.stringify(order);
    if (last.get(id) === state) count += 1;
    last.set(id, state);
  }
  return count;
}
