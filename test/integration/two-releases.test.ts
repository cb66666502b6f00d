import { type DynamoDB, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountHeld } from '../../local/harness/held-order.ts';
import { openConnector, SHOP } from '../../local/harness/in-process-connector.ts';
import { createDynamoDbClient, createLedgerTable } from '../../local/harness/sdk-clients.ts';
import { seededRandom } from '../../local/sandbox-kit/seeded-random.ts';
import { type Emulator, startDynamoDb } from '../../local/stack/emulators.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { ITEM } from '../../shared/aws/ledger-item.ts';
import type { Ledger } from '../../shared/core/ledger/ledger.ts';
import { buildOrder } from '../fixtures/order-payload.ts';
import { simpleOrder } from '../fixtures/order-spec.ts';
import { storeOrder } from '../fixtures/store-entities.ts';
import { loadNextRelease } from '../support/next-release.ts';

const ID = '5512345678901';
const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 1 };
const line = { product: 1, priceCents: 1000, quantity: 5, discountCents: 0, takenBack: 0 };

/** 50 → 40 → 60 → 50: refunds, and an edit that raises the amount. */
const life = [
  [line],
  [{ ...line, takenBack: 1 }],
  [
    { ...line, takenBack: 1 },
    { ...line, product: 2, quantity: 2 },
  ],
  [
    { ...line, takenBack: 2 },
    { ...line, product: 2, quantity: 2 },
  ],
];

const specOf = (second: number) => {
  const updated_at = new Date(Date.parse('2026-10-09T11:00:00Z') + second * 1000).toISOString();
  const spec = { ...simpleOrder, fulfilledAfterDays: 1, lines: life[second] ?? [] };
  return [spec, { updated_at }] as const;
};

let emulator: Emulator;
let client: DynamoDB;
let next: Awaited<ReturnType<typeof loadNextRelease>>;
let tables = 0;

beforeAll(async () => {
  emulator = await startDynamoDb();
  client = createDynamoDbClient({ budget, emulator });
  next = await loadNextRelease();
});
afterAll(async () => {
  client.destroy();
  await emulator.stop();
});

/** This release and the next one on the same queues, ledger, store and loyalty service. */
async function openBoth() {
  tables += 1;
  const table = `both-${tables}`;
  await createLedgerTable(client, table);
  const assumptions = { raiseAfterPartialCancel: 'send-gross' } as const;
  const older = openConnector({ assumptions, rules: { goLive: '2020-01-01T00:00:00Z' } });
  const newer = next.openConnector({
    assumptions,
    rules: { goLive: '2020-01-01T00:00:00Z' },
    beside: older,
  });
  older.parts.ledger = createDynamoDbLedger({ client, table });
  newer.parts.ledger = next.createDynamoDbLedger({ client, table });
  const newerItems = async () => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: table }));
    return new Map(
      Items.filter((item) => item[ITEM.format]?.N === '2').map((item) => [item.entity?.S, item]),
    );
  };
  return { older, newer, newerItems };
}

type Both = Awaited<ReturnType<typeof openBoth>>;
type Connector = Both['older'];

async function deliver(connector: Connector, second: number): Promise<void> {
  const [spec, changes] = specOf(second);
  connector.store.putOrder(SHOP, storeOrder(spec, changes));
  const { payload } = buildOrder(spec, changes);
  await connector.deliver({ topic: 'orders/updated', payload, webhookId: `change-${second}` });
}

const endOf = ({ loyalty, dead, queues }: Connector) => {
  const held = loyalty.rows.orders.get(ID);
  return {
    amount: held && amountHeld(held),
    points: [...loyalty.rows.points.values()].map((row) => row.pointsHundredths),
    dead: dead.size,
    waiting: queues.orders.size,
  };
};

const WHOLE = { amount: 50, points: [5000], dead: 0, waiting: 0 };

/** The worker of this release dies before its write of this number. Resolves when it does. */
function dieAt(connector: Connector, number: number): Promise<void> {
  const { ledger } = connector.parts;
  let writes = 0;
  return new Promise((resolve) => {
    const write: Ledger['write'] = async (...args) => {
      writes += 1;
      if (writes !== number) return ledger.write(...args);
      resolve();
      return new Promise<never>(() => {});
    };
    connector.parts.ledger = { ...ledger, write };
  });
}

describe('this release and the next one, side by side on an order that is refunded', () => {
  it('leave the amount and the points exact, take no part twice and touch no newer item', async () => {
    let waited = 0;
    let deaths = 0;
    for (let seed = 1; seed <= 8; seed += 1) {
      const random = seededRandom(seed);
      const both = await openBoth();
      const { older, newer } = both;
      const dying = random() < 0.5 ? older : newer;
      const { ledger } = newer.parts;
      let hasDied = false;
      const died = dieAt(dying, 1 + Math.floor(random() * 8)).then(() => {
        hasDied = true;
      });
      for (const second of life.keys()) {
        await deliver(random() < 0.5 ? older : newer, second);
        for (let turn = 0; turn < 3; turn += 1) {
          const isOlder = random() < 0.5;
          const before = isOlder ? await both.newerItems() : new Map();
          const worked = (isOlder ? older : newer).work('orders');
          const mayDie = !hasDied && isOlder === (dying === older);
          await (mayDie ? Promise.race([worked, died]) : worked);
          const after = isOlder ? await both.newerItems() : new Map();
          for (const [key, item] of before) expect(after.get(key), `seed ${seed}`).toEqual(item);
          older.clock.ms += 60_000;
        }
      }
      waited += older.telemetry.total('retried', { why: 'newer-release' });
      deaths += hasDied ? 1 : 0;
      newer.parts.ledger = ledger;
      await newer.drain();
      expect(endOf(older), `seed ${seed}`).toEqual(WHOLE);
    }
    expect(waited).toBeGreaterThan(5);
    expect(deaths).toBeGreaterThan(1);
  });

  it('can go back and forth: what the next release wrote waits for its return', async () => {
    const { older, newer } = await openBoth();
    await deliver(older, 0);
    await older.drain();
    // The upgrade: a part is taken under the new form of the ledger, with a message in flight.
    await deliver(newer, 1);
    await newer.work('orders');
    await deliver(newer, 2);
    const before = endOf(older);
    expect(before).toMatchObject({ amount: 40, waiting: 1 });

    // The rollback: two days under this release, which neither acts nor parks.
    await deliver(older, 3);
    for (let hour = 0; hour < 48; hour += 1) {
      await older.work('orders');
      older.clock.ms += 3_600_000;
    }
    expect(endOf(older)).toEqual({ ...before, waiting: 2 });
    await older.reconcile({ deep: true });
    expect(endOf(older)).toMatchObject({ amount: 40, dead: 0 });

    await newer.drain();
    expect(endOf(older)).toEqual(WHOLE);
  });

  it('parks what stays unreadable for the whole retry window, with a reason of its own', async () => {
    const { older, newer } = await openBoth();
    await deliver(newer, 0);
    await older.drain();
    const [letter] = older.deadLetters();
    expect(letter?.attributes).toMatchObject({ reason: 'newer-release' });
    expect(older.loyalty.journal).toEqual([]);
  });
});
