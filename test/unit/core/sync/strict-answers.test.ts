import { describe, expect, it } from 'vitest';
import { buildOrder } from '../../../fixtures/order-payload.ts';
import { simpleOrder } from '../../../fixtures/order-spec.ts';
import { openConnector } from '../../../support/in-process-connector.ts';

describe('an answer that does not say that it was done', () => {
  describe('isCanceled: false', () => {
    const payload = (updated_at: string, cancelledAfterDays?: number) =>
      buildOrder(
        { ...simpleOrder, ...(cancelledAfterDays !== undefined && { cancelledAfterDays }) },
        { updated_at },
      ).payload;

    it('is parked by the retry window and never recorded as cancelled', async () => {
      const connector = openConnector();
      const { journal, world } = connector.loyalty;
      await connector.deliver({
        topic: 'orders/updated',
        payload: payload('2026-10-09T11:00:01.000Z'),
      });
      await connector.drain();
      let asked = 0;
      world.interfere = ({ operation }, pass) => {
        if (operation !== 'cancelPosOrder') return pass();
        asked += 1;
        const text = JSON.stringify({ HasError: false, Result: { isCanceled: false, Status: 2 } });
        return { kind: 'answer', status: 200, headers: {}, text };
      };
      await connector.deliver({
        topic: 'orders/cancelled',
        payload: payload('2026-10-09T11:00:02.000Z', 3),
      });
      await connector.drain();
      expect(journal.map(({ operation }) => operation)).not.toContain('cancelPosOrder');
      expect(asked).toBeGreaterThan(5);
      expect(connector.dead.size).toBe(1);
      // Without the fault, the same event again is sent again: nothing calls it done.
      connector.loyalty.world.interfere = undefined;
      await connector.deliver({
        topic: 'orders/cancelled',
        payload: payload('2026-10-09T11:00:02.000Z', 3),
      });
      await connector.drain();
      expect(connector.loyalty.journal.at(-1)?.operation).toBe('cancelPosOrder');
    });
  });
});
