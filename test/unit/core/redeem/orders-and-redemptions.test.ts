import { describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../../local/harness/in-process-connector.ts';
import type { Redemption } from '../../../../shared/core/redemptions/redemption.ts';
import { bookKey, rememberBook } from '../../../../shared/core/redemptions/redemption-record.ts';
import { noteRewardCode } from '../../../../shared/core/redemptions/reward-codes.ts';
import { storeOrderOf } from '../../../fixtures/order-life.ts';
import { buildOrder } from '../../../fixtures/order-payload.ts';
import { simpleOrder } from '../../../fixtures/order-spec.ts';

type Connector = ReturnType<typeof openConnector>;

const application = (code: string) => ({ type: 'discount_code', code, target_type: 'line_item' });
const withCodes = (...codes: readonly string[]) => ({
  discount_applications: codes.map(application),
});

async function sendOrder(connector: Connector, ...codes: readonly string[]) {
  const { payload } = buildOrder(simpleOrder, withCodes(...codes));
  await connector.deliver({ topic: 'orders/updated', payload });
  await connector.drain();
  const sent = connector.loyalty.journal.findLast(({ operation }) => operation === 'sendOrder');
  return (sent?.body as { Coupon?: string } | undefined)?.Coupon;
}

async function note({ ledger, clock }: Connector, code: string, endsAt?: string) {
  const reward = { code, kind: 'fixed', value: 5, startsAt: '2026-10-01T00:00:00.000Z' } as const;
  const world = { ledger, now: () => new Date(clock.ms), retentionDays: 400 };
  await noteRewardCode(SHOP, { ...reward, ...(endsAt !== undefined && { endsAt }) }, world);
}

describe('an order with several codes', () => {
  it('names the reward’s, however it is written', async () => {
    const connector = openConnector();
    await note(connector, 'FIVE-1');
    expect(await sendOrder(connector, 'WELCOME10', 'five-1', 'FREESHIP')).toBe('five-1');
    // Each once.
    const sent = JSON.stringify(connector.loyalty.journal.at(-1)?.body);
    expect(sent).toContain('"five-1, WELCOME10, FREESHIP"');
  });

  it('names the first where none is a reward’s', async () => {
    const connector = openConnector();
    await note(connector, 'FIVE-1');
    expect(await sendOrder(connector, 'WELCOME10', 'FREESHIP')).toBe('WELCOME10');
  });

  it('is not sent again by reconciling', async () => {
    const connector = openConnector();
    await note(connector, 'FIVE-1');
    await sendOrder(connector, 'WELCOME10', 'FIVE-1');
    const { payload } = buildOrder(simpleOrder, withCodes('WELCOME10', 'FIVE-1'));
    connector.store.putOrder(SHOP, storeOrderOf(payload));
    await connector.reconcile({ deep: true });
    await connector.drain();
    expect(connector.telemetry.total('unchanged', { kind: 'order' })).toBe(0);
    // Deep, it reads the order from the service.
    const calls = connector.loyalty.journal.map(({ operation }) => operation);
    expect(calls).toEqual(['sendOrder', 'getOrder']);
  });

  it.each([
    [['FIVE-1'], 0],
    [['FIVE-1', 'WELCOME10'], 2],
  ])('reads the ledger only then (%s)', async (codes, reads) => {
    const connector = openConnector();
    const asked: string[] = [];
    const { readMany } = connector.ledger;
    connector.ledger.readMany = (keys) => {
      asked.push(...keys.map(({ kind }) => kind));
      return readMany(keys);
    };
    await sendOrder(connector, ...codes);
    expect(asked.filter((kind) => kind === 'reward-code')).toHaveLength(reads);
  });

  it('finds the code for as long as an order may change after the code has ended', async () => {
    const connector = openConnector();
    await note(connector, 'FIVE-1', '2026-11-08T12:00:00.000Z');
    await note(connector, 'FIVE-2');
    const expiries = [...connector.ledger.entries.values()].map(({ expiresAt }) => expiresAt);
    const end = Date.parse('2026-11-08T12:00:00.000Z') / 1000;
    expect(expiries).toEqual([end + 400 * 86_400, undefined]);
  });
});

const key = bookKey({ shop: SHOP, customerId: '7001' });
const at = '2026-10-09T12:00:00.000Z';
const terms = { title: 'Five off', points: 50, kind: 'fixed', value: 5 } as const;
const body = { CustomerId: 'robin@example.com', OriginalKey: 'key-1' };
const CALLING = { at: 'calling', body, attempts: 1, calledAt: at } as const;

async function keep({ ledger }: Connector, state: Redemption['state'], revision?: number) {
  const redemption: Redemption = {
    ...{ id: 'A1', rewardId: 1, clientKeys: [], intendedAt: at, since: at, state },
    terms: { ...terms, combines: false, codePrefix: 'FIVE', limited: false },
  };
  const remembered = rememberBook({ redemptions: [redemption], intents: [] });
  await ledger.write(key, { version: 1, uncertain: false, remembered, outcomes: [] }, revision);
}

describe('the merge of a customer into another', () => {
  const payload = {
    admin_graphql_api_customer_kept_id: 'gid://shopify/Customer/7002',
    admin_graphql_api_customer_deleted_id: 'gid://shopify/Customer/7001',
    status: 'completed',
  };

  it('looks for points after a day, although a redemption is still open', async () => {
    const connector = openConnector({ rules: { customers: 'from-sign-up' } });
    await keep(connector, CALLING);
    const begun = connector.clock.ms;
    await connector.deliver({ topic: 'customers/merge', payload });
    await connector.drain();
    expect(connector.loyalty.journal.at(-1)?.operation).toBe('getCustomerPoints');
    expect(connector.dead.size).toBe(0);
    const days = (connector.clock.ms - begun) / 86_400_000;
    expect([days >= 1, days < 1.1]).toEqual([true, true]);
  });

  it('looks for points only when no redemption is open: its points may go back', async () => {
    const connector = openConnector({ rules: { customers: 'from-sign-up' } });
    await keep(connector, CALLING);
    await connector.deliver({ topic: 'customers/merge', payload });
    await connector.work('coupons');
    expect(connector.telemetry.total('retried', { why: 'redemption-open' })).toBe(1);
    expect(connector.loyalty.journal).toEqual([]);
    await keep(connector, { at: 'cancelled' }, 1);
    await connector.drain();
    expect(connector.loyalty.journal.map(({ operation }) => operation)).toEqual([
      'getCustomerPoints',
    ]);
  });
});

describe('the redaction of a customer', () => {
  const customer = { id: 7001, email: 'robin@example.com' };
  const payload = { shop_domain: SHOP, customer, orders_to_redact: [] };

  // What waits for its next attempt is recorded by its message, and names no person.
  const isErased = ({ ledger }: Connector) =>
    [...ledger.entries].every(
      ([text, { remembered }]) => remembered === undefined || text.startsWith('waiting|'),
    );

  /** The log names them for a person: points may have been spent for nothing. */
  const openAtTheEnd = ({ telemetry }: Connector) =>
    telemetry.logged.flatMap(({ level, fields }) => (level === 'error' ? [fields.ids] : []));

  it('waits while a redemption is open, and no longer', async () => {
    const connector = openConnector();
    await keep(connector, CALLING);
    await connector.deliver({ topic: 'customers/redact', payload });
    await connector.work('orders');
    expect(connector.telemetry.total('retried', { why: 'redemption-open' })).toBe(1);
    expect(isErased(connector)).toBe(false);
    const waited = connector.clock.ms;
    await keep(connector, { at: 'refused', why: 'refused' }, 1);
    await connector.drain();
    expect(isErased(connector)).toBe(true);
    expect(connector.clock.ms - waited).toBeLessThan(3_600_000);
    expect(connector.dead.size).toBe(0);
    expect(openAtTheEnd(connector)).toEqual([]);
  });

  // The simulation found it: the click's points were spent, and no process knew of its redemption any more.
  it('does not erase a redemption that a click begins at the same moment', async () => {
    const connector = openConnector();
    await keep(connector, { at: 'refused', why: 'refused' });
    const { readMany } = connector.ledger;
    connector.ledger.readMany = async (keys) => {
      const found = await readMany(keys);
      if (keys.some(({ kind }) => kind === 'redemption')) {
        connector.ledger.readMany = readMany;
        await keep(connector, CALLING, 1);
      }
      return found;
    };
    await connector.deliver({ topic: 'customers/redact', payload });
    await connector.work('orders');
    expect(isErased(connector)).toBe(false);
    await keep(connector, { at: 'refused', why: 'refused' }, 2);
    await connector.drain();
    expect(isErased(connector)).toBe(true);
  });

  it('waits for a day at most', async () => {
    const connector = openConnector();
    await keep(connector, CALLING);
    const begun = connector.clock.ms;
    await connector.deliver({ topic: 'customers/redact', payload });
    await connector.drain();
    expect(isErased(connector)).toBe(true);
    expect(openAtTheEnd(connector)).toEqual(['A1']);
    expect(connector.clock.ms - begun).toBeGreaterThanOrEqual(86_400_000);
    expect(connector.dead.size).toBe(0);
  });
});
