import { afterAll, beforeAll, expect, it } from 'vitest';
import { inOrder } from '../../../local/store-sandbox/delivery/disorder.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { openCursor, quietUntil } from '../../../shared/core/reconcile/dependencies.ts';
import { readLastReconcile, sumOf } from '../../../shared/core/reconcile/last-reconcile.ts';
import { positionKey } from '../../../shared/core/reconcile/reconcile-kind.ts';
import { rules as testRules } from '../../fixtures/store-entities.ts';
import { liveOneDay } from '../../support/any-store-life.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import {
  expectSameCodes,
  expectSameOrders,
  expectSameProducts,
} from '../../support/store-and-connector.ts';

const DAY_SECONDS = 86_400;
/** The stack keeps this default, which most tests replace. */
const rules = { ...testRules, pendingOrders: 'skip' } as const;

let stack: LocalStack;
beforeAll(async () => {
  // The largest plan: by the points of the smallest one, a run over a week waits for minutes.
  stack = await startLocalStack({
    settings: 'test/fixtures/long-live.config.ts',
    storeSettings: () => ({ bucketSize: 20_000, restorePerSecond: 1_000 }),
  });
}, 300_000);
afterAll(() => stack?.stop(), 60_000);

const openLedger = () =>
  createDynamoDbLedger({ client: stack.dynamoDb, table: stack.outputs.LedgerTable ?? '' });

/** As of a deployment that has reconciled ever since that moment. */
async function reconciledUntil(moment: number): Promise<void> {
  const ledger = openLedger();
  for (const kind of ['order', 'product', 'discount'] as const) {
    const position = { since: moment, doneUntil: moment };
    const key = positionKey(stack.store.shop.domain, kind);
    await (await openCursor(ledger, key)).keep(position, moment);
  }
}

/** One scheduled run and the work it causes; gives how much it healed. */
async function reconcile(): Promise<number> {
  const schedule = stack.description.schedules.find(
    ({ input }) => !JSON.stringify(input).includes('deep'),
  );
  if (!schedule) throw new Error('nothing is scheduled');
  const result = await stack.functions.runSchedule(schedule);
  expect(result?.kind).toBe('returned');
  const last = await readLastReconcile(openLedger(), stack.store.shop.domain);
  expect(last?.stopped).toEqual([]);
  await stack.settled();
  return sumOf(last?.healed);
}

it('one run repairs a week of lost, repeated and shuffled webhooks, and a second finds nothing', async () => {
  const { store, loyalty } = stack;
  const start = Date.now() - 8 * DAY_SECONDS * 1000;
  await reconciledUntil(start);
  store.disorder = { ...inOrder, drop: 0.3, duplicate: 0.2, shuffle: 8 };
  store.advanceClock(-8 * DAY_SECONDS);
  for (let day = 1; day <= 7; day += 1) {
    let passed = 0;
    liveOneDay(store, day, (seconds) => {
      passed += seconds;
      store.advanceClock(seconds);
    });
    store.advanceClock(DAY_SECONDS - passed);
    await stack.settled();
  }
  // What the store held at its start was made today, and is left alone by a run of today.
  const quiet = quietUntil(new Date());
  const dropped = store.deliveries.all().filter(({ state }) => state === 'dropped');
  expect(dropped.length).toBeGreaterThan(50);
  await expect(expectSameOrders(loyalty, store, rules)).rejects.toThrow();

  expect(await reconcile()).toBeGreaterThanOrEqual(3);
  await expectSameOrders(loyalty, store, rules);
  await expectSameProducts(loyalty, store, quiet);
  await expectSameCodes(loyalty, store, quiet);
  expect(await reconcile()).toBe(0);
}, 600_000);
