import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { openBackfills } from '../../../scripts/connector/backfill/backfill-state.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { listNotices } from '../../../shared/aws/read-ledger.ts';
import { recallBalance } from '../../../shared/core/balances/remembered-balance.ts';
import { cancelledOrderKey } from '../../../shared/core/ledger/idempotency-key.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger-key.ts';
import { recallOrder, recallProduct } from '../../../shared/core/mapping/remembered.ts';
import { cursorKey, recallState } from '../../../shared/core/reconcile/kept-state.ts';
import { readLastReconcile } from '../../../shared/core/reconcile/last-reconcile.ts';
import { positionKey } from '../../../shared/core/reconcile/reconcile-kind.ts';
import { bookKey, recallBook } from '../../../shared/core/redeem/redemption-book.ts';
import { claimQuiz, quizKey } from '../../../shared/core/storefront/quiz-claim.ts';
import golden from '../../fixtures/v0.1.0/ledger-items.json' with { type: 'json' };

const SHOP = 'example-store.myshopify.com';
const SECOND_SHOP = 'second-store.myshopify.com';
const CUSTOMER = '6940095564';
const NOW = new Date('2026-10-09T12:00:00.000Z');
const LONG_CODE = `LONG-${'X'.repeat(1_100)}`;

type Name = keyof typeof golden;
type Item = Record<string, AttributeValue>;

const read = new Set<string>();

/** The ledger over a table that holds these golden items and takes no write. */
function ledgerOf(...names: readonly Name[]) {
  for (const name of names) read.add(name);
  const items = names.map((name) => golden[name] as unknown as Item);
  const damaged: unknown[] = [];
  const client = {
    async batchGetItem({ RequestItems }: { RequestItems: Record<string, { Keys: Item[] }> }) {
      const wanted = RequestItems.ledger?.Keys.map((key) => Object.values(key)[0]?.S);
      return { Responses: { ledger: items.filter(({ entity }) => wanted?.includes(entity?.S)) } };
    },
    async query({ ExpressionAttributeValues }: { ExpressionAttributeValues: Item }) {
      const [wanted] = Object.values(ExpressionAttributeValues);
      return { Items: items.filter(({ d }) => d?.S === wanted?.S) };
    },
    scan: async () => ({ Items: items }),
    putItem: async () => {
      throw Object.assign(new Error('read-only'), { name: 'ConditionalCheckFailedException' });
    },
  } as never;
  const table = 'ledger';
  const onDamagedItem = (...fault: unknown[]) => damaged.push(fault);
  const ledger = createDynamoDbLedger({ client, table, onDamagedItem });
  const settings = { client, table, pause: async () => {}, random: () => 0.5 };
  return { ledger, settings, damaged };
}

type Key = Parameters<ReturnType<typeof ledgerOf>['ledger']['readMany']>[0][number];

async function entryOf(name: Name, key: Key) {
  const { ledger, damaged } = ledgerOf(name);
  const entry = (await ledger.readMany([key])).get(ledgerKeyText(key));
  expect(damaged).toEqual([]);
  if (!entry) throw new Error(`${name} is not found under ${ledgerKeyText(key)}`);
  return entry;
}

const orderEntry = (name: Name, id: string) => entryOf(name, { shop: SHOP, kind: 'order', id });
const productEntry = (name: Name, id: string) => entryOf(name, { shop: SHOP, kind: 'product', id });
const couponEntry = (name: Name, id: string) => entryOf(name, { shop: SHOP, kind: 'coupon', id });
const customerEntry = (name: Name, id: string) =>
  entryOf(name, { shop: SHOP, kind: 'customer', id });

const UPDATED = Date.parse('2026-10-09T06:00:00.000Z');
const KEY_OF_ORDER = 'jz04-hen8cLo8aJ33wwr7cZ8AGTrY_1jA-6NB_9hH4A';
const ROBIN = { OriginalId: CUSTOMER, Name: 'Robin Sample', Email: 'robin.sample@example.com' };

describe('an order that version 0.1.0 recorded', () => {
  it('is known with its state, its customer and its history', async () => {
    const entry = await orderEntry('order, applied', '1001');
    expect(entry).toMatchObject({
      version: UPDATED,
      appliedKey: KEY_OF_ORDER,
      uncertain: false,
      expiresAt: 1_826_107_200,
      revision: 1,
      outcomes: [{ at: '2026-10-09T12:00:00.000Z', outcome: 'applied', version: UPDATED }],
    });
    expect(recallOrder(entry.remembered)).toMatchObject({
      basics: { OrderPlacementDate: '2026-10-05T09:12:44.000Z', OrderTotal: 50 },
      customer: ROBIN,
    });
  });

  it('keeps its state through an unchanged snapshot and an uncertain mark', async () => {
    const unchanged = await orderEntry('order, unchanged', '1001');
    expect(unchanged).toMatchObject({ appliedKey: KEY_OF_ORDER, uncertain: false, revision: 2 });
    expect(unchanged.outcomes.map(({ outcome }) => outcome)).toEqual(['applied', 'unchanged']);
    expect(await orderEntry('order, applied, then uncertain', '1001')).toMatchObject({
      version: Date.parse('2026-10-09T07:00:00.000Z'),
      appliedKey: KEY_OF_ORDER,
      uncertain: true,
      revision: 3,
    });
  });

  it('is uncertain where a first call may have happened', async () => {
    const marked = await orderEntry('order, uncertain without anything applied', '1002');
    expect(marked).toMatchObject({ version: 0, uncertain: true, revision: 1, outcomes: [] });
    const attempted = await orderEntry('order, first call attempted', '1003');
    expect(attempted).toMatchObject({ version: UPDATED, uncertain: true });
    expect(attempted.appliedKey).toBeUndefined();
    expect(recallOrder(attempted.remembered)).toMatchObject({ customer: ROBIN });
  });

  it('stays history, cancelled, skipped or rejected', async () => {
    expect(await orderEntry('order, history', '1004')).toMatchObject({
      history: true,
      uncertain: false,
    });
    for (const [name, id] of [
      ['order, cancelled', '1009'],
      ['order, deleted', '1010'],
    ] as const) {
      expect((await orderEntry(name, id)).appliedKey).toBe(cancelledOrderKey(id));
    }
    const skipped = await orderEntry('order, skipped', '1008');
    expect(skipped).toMatchObject({ outcomes: [{ outcome: 'skipped', why: 'guest' }] });
    expect(skipped.appliedKey).toBeUndefined();
    expect(await orderEntry('order, rejected', '1011')).toMatchObject({
      version: 0,
      outcomes: [
        { outcome: 'rejected', version: UPDATED, why: 'ApiExternalCustomer_document_email_empty' },
      ],
    });
  });

  it('stays redacted', async () => {
    const redactedAt = Date.parse('2026-10-09T12:01:00.000Z');
    const redacted = await orderEntry('order, redacted', '1005');
    expect(redacted).toMatchObject({ version: UPDATED, redactedAt, uncertain: false });
    expect(redacted.appliedKey).toBeDefined();
    expect(recallOrder(redacted.remembered)).toBeUndefined();
    expect(await orderEntry('order, redacted before it was known', '1006')).toMatchObject({
      version: 0,
      redactedAt,
      uncertain: false,
    });
  });
});

describe('a product that version 0.1.0 recorded', () => {
  it('is known with its last form, deleted or not', async () => {
    const applied = await productEntry('product, applied', '8012345678901');
    expect(applied).toMatchObject({ version: Date.parse('2026-10-09T11:00:00.000Z') });
    expect(recallProduct(applied.remembered)).toMatchObject({
      OriginalId: '8012345678901',
      Title: 'Linen shirt',
      ProductPrice: 49.9,
      IsActive: true,
    });
    const deleted = await productEntry('product, deleted', '8012345678902');
    expect(deleted.expiresAt).toBe(1_826_107_260);
    expect(recallProduct(deleted.remembered)).toMatchObject({ IsActive: false });
  });
});

describe('a coupon that version 0.1.0 recorded', () => {
  const discountId = '1688847450345';
  const version = Date.parse('2026-10-01T00:00:00.000Z');

  it('is found by its code and knows its discount', async () => {
    const announced = await couponEntry('coupon, announced', 'AUTUMN10');
    expect(announced).toMatchObject({ version: 0, discountId, uncertain: false });
    for (const [name, code] of [
      ['coupon, applied', 'AUTUMN10'],
      ['coupon, code too long for a key', LONG_CODE],
      ['coupon, code with half a character', 'HALF\ud83d'],
      ['coupon, code with a bar', 'A|B'],
    ] as const) {
      const entry = await couponEntry(name, code);
      expect(entry).toMatchObject({ version, discountId, uncertain: false });
      expect(entry.appliedKey).toMatch(/^[\w-]{43}$/);
    }
    expect(await couponEntry('coupon, skipped', 'REWARD-K7Q2M9XBP4TA')).toMatchObject({
      discountId,
      outcomes: [{ outcome: 'skipped', why: 'reward-coupon' }],
    });
    const removed = await couponEntry('coupon, removed', 'A|B');
    expect(removed).toMatchObject({ discountId, expiresAt: 1_826_107_260 });
  });

  it('is listed with its discount and found by a scan, where its key is a hash too', async () => {
    const { ledger } = ledgerOf(
      'coupon, applied',
      'coupon, code too long for a key',
      'coupon, code with half a character',
      'coupon, code with a bar',
      'order, applied',
    );
    const codes = ['AUTUMN10', LONG_CODE, 'HALF\ud83d', 'A|B'];
    expect((await ledger.listCodes(SHOP, discountId)).codes).toEqual(codes);
    const { entries } = await ledger.scanEntities();
    expect(entries.map(({ key }) => key)).toMatchObject([
      ...codes.map((id) => ({ shop: SHOP, kind: 'coupon', id })),
      { shop: SHOP, kind: 'order', id: '1001' },
    ]);
  });
});

describe('a record that version 0.1.0 wrote', () => {
  it('says what balance the store was given, and which is being written', async () => {
    const applied = await customerEntry('customer, balance applied', CUSTOMER);
    expect(applied).toMatchObject({ version: NOW.getTime(), uncertain: false });
    expect(recallBalance(applied.remembered)).toEqual({
      points: '310',
      cashback: '15.5',
      tier: 'Gold',
      seen: ['Point_Add/90210/2026-10-09T12:00:00.000Z'],
    });
    const marked = await customerEntry('customer, balance being written', CUSTOMER);
    expect(marked).toMatchObject({ uncertain: true, appliedKey: applied.appliedKey });
    expect(recallBalance(marked.remembered)).toMatchObject({ points: '210', tier: null });
    const unknown = await customerEntry('customer, unknown to the store', '7001');
    expect(unknown).toMatchObject({ outcomes: [{ why: 'unknown-customer' }] });
  });

  it('keeps every redemption but an intent, in the states of today', async () => {
    const bookOf = async (name: Name, customerId: string) => {
      const entry = await entryOf(name, bookKey({ shop: SHOP, customerId }));
      return { entry, book: recallBook(entry.remembered, NOW) };
    };
    const { book, entry } = await bookOf('redemptions, one of every state', CUSTOMER);
    expect(entry.expiresAt).toBeUndefined();
    expect(book.intents).toHaveLength(11);
    const states = book.redemptions.map(({ id, state }) => {
      const code = 'code' in state ? state.code?.code : undefined;
      return code === undefined ? [id, state.at] : [id, state.at, code];
    });
    expect(states).toEqual([
      ['CALLING00001', 'calling'],
      ['UNKNOWN00001', 'calling'],
      ['REFUSED00001', 'refused'],
      ['REDEEMED0001', 'redeemed', 'FIVE-1'],
      ['SPENT0000001', 'redeemed', 'FIVE-SPENT0000001'],
      ['LOST00000001', 'redeemed', 'FIVE-2'],
      ['COMPENSATING', 'cancelling', 'FIVE-3'],
      ['COMPENSATED1', 'cancelled', 'FIVE-4'],
      ['READY0000001', 'ready', 'FIVE-5'],
      ['USED00000001', 'used', 'FIVE-6'],
    ]);
    expect(book.redemptions.find(({ id }) => id === 'READY0000001')).toMatchObject({
      rewardId: 10,
      clientKeys: ['click-0010'],
      terms: { title: 'Five off', points: 100, kind: 'fixed', value: 5, minimum: 20 },
      state: { discountId: '1688847450399', code: { endsAt: '2026-11-08T12:00:00.000Z' } },
    });
    // It sent no key, so only a person can find out what became of these.
    const stuck = book.redemptions.filter((one) => one.stuck === 'no-key').map(({ id }) => id);
    expect(stuck).toEqual(['CALLING00001', 'UNKNOWN00001', 'LOST00000001', 'COMPENSATING']);

    const closed = await bookOf('redemptions, all closed', '7001');
    expect(closed.entry.expiresAt).toBe(1_826_107_200);
    expect(closed.book.redemptions).toMatchObject([{ id: 'USED00000002', state: { at: 'used' } }]);
    const redacted = await bookOf('redemptions, redacted', '7001');
    expect(redacted.entry.redactedAt).toBe(NOW.getTime());
    expect(redacted.book.redemptions).toEqual([]);
  });

  it('holds a quiz whose answers are being sent for a minute', async () => {
    const { ledger } = ledgerOf('quiz, answers being sent');
    const claim = await claimQuiz(quizKey(SHOP, CUSTOMER, 12), ledger, NOW);
    expect(claim).toEqual({ kind: 'being-sent', afterSeconds: 60 });
    const answered = await entryOf('quiz, answered', quizKey(SHOP, CUSTOMER, 12));
    expect(answered).toMatchObject({ uncertain: false, revision: 2 });
  });

  it('shows a notice to the operator', async () => {
    const { settings } = ledgerOf('notice, data request', 'order, applied');
    expect(await listNotices(settings, SHOP)).toEqual([
      {
        shop: SHOP,
        notice: 'data-request',
        id: '9999',
        at: '2026-10-09T12:01:02.000Z',
        why: 'a customer asks for their data: answer within 30 days',
      },
    ]);
  });

  it('says how far a reconcile walk has come', async () => {
    const stateOf = async (name: Name, key: ReturnType<typeof cursorKey>) =>
      (await recallState<object>(ledgerOf(name).ledger, key)).state;
    expect(await stateOf('cursor, orders compared', positionKey(SHOP, 'order'))).toEqual({
      since: 1_791_628_200_000,
      doneUntil: 1_791_632_700_000,
    });
    expect(
      await stateOf('cursor, discounts being compared', positionKey(SHOP, 'discount')),
    ).toEqual({
      since: 1_791_457_200_000,
      doneUntil: 1_791_542_700_000,
      walk: {
        from: 1_791_541_800_000,
        until: 1_791_546_300_000,
        after: 'eyJsYXN0X2lkIjo3fQ==',
        partly: { done: ['1688847450345'], begun: { id: '1688847450346', from: '50' } },
      },
    });
    expect(await stateOf('cursor, deep walk ended', cursorKey(SHOP, 'deep'))).toMatchObject({
      phase: 'done',
    });
    expect(
      await stateOf('cursor, deep walk in the ledger', cursorKey(SECOND_SHOP, 'deep')),
    ).toEqual({ began: NOW.getTime(), phase: 'ledger', from: `${SHOP}|order|1001`, again: true });
  });

  it('says what the last reconcile did', async () => {
    const { ledger } = ledgerOf('cursor, last run', 'cursor, last run that stopped');
    expect(await readLastReconcile(ledger, SHOP)).toMatchObject({
      endedAt: '2026-10-10T12:00:00.000Z',
      healed: { order: 0, product: 1, coupon: 0 },
      stopped: [],
    });
    expect(await readLastReconcile(ledger, SECOND_SHOP)).toMatchObject({
      lookedAt: { order: 3, product: 2, coupon: 1 },
      oldestHealedMs: 3_600_000,
      stopped: [{ kind: 'discount', why: 'queue-full' }],
      deep: { stopped: { in: 'product', why: 'out-of-time' } },
    });
  });

  it('lets a backfill go on where it stopped', async () => {
    const { ledger } = ledgerOf('cursor, backfill under way', 'cursor, names of backfills');
    const backfills = openBackfills(ledger, SHOP, () => NOW);
    const [id = ''] = await backfills.list();
    expect(await backfills.load(id)).toMatchObject({
      revision: 1,
      state: { kind: 'orders', run: 2, place: { byte: 4_096, skip: 3 }, sent: 40, asked: 2 },
    });
  });
});

describe('the golden items', () => {
  it('are all read by the tests above', () => {
    expect([...read].toSorted()).toEqual(Object.keys(golden).toSorted());
  });
});
