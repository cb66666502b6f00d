import { describe, expect, it } from 'vitest';
import storefrontSettings from '../../../../local/harness/storefront.config.ts';
import type { Redemption } from '../../../../shared/rewards/redeem/redemption.ts';
import {
  redemptionsKey,
  rememberRedemptions,
} from '../../../../shared/rewards/redeem/redemption-record.ts';
import { workerRewards } from '../../../../shared/services/rewards.ts';
import { redemptionAt } from '../../../fixtures/redemption.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';

const rewards = workerRewards(storefrontSettings);

type Connector = ReturnType<typeof openConnector>;

const key = redemptionsKey({ shop: SHOP, customerId: '7001' });
const AT = '2026-10-09T12:00:00.000Z';
const REDEEM_BODY = { CustomerId: 'robin@example.com', OriginalKey: 'key-1' };
const CALLING = { at: 'calling', body: REDEEM_BODY, attempts: 1, calledAt: AT } as const;

async function keep({ ledger }: Connector, state: Redemption['state'], revision?: number) {
  const redemptions = [redemptionAt(state, { id: 'A1' })];
  const remembered = rememberRedemptions({ redemptions, intents: [] });
  await ledger.write(key, { version: 1, uncertain: false, remembered, outcomes: [] }, revision);
}

describe('the merge of a customer into another', () => {
  const payload = {
    admin_graphql_api_customer_kept_id: 'gid://shopify/Customer/7002',
    admin_graphql_api_customer_deleted_id: 'gid://shopify/Customer/7001',
    status: 'completed',
  };

  it('looks for points after a day, although a redemption is still open', async () => {
    const connector = openConnector({ rewards, rules: { customers: 'from-sign-up' } });
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
    const connector = openConnector({ rewards, rules: { customers: 'from-sign-up' } });
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
    const connector = openConnector({ rewards });
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
    const connector = openConnector({ rewards });
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
    const connector = openConnector({ rewards });
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
