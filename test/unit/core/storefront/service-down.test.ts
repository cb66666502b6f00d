import { beforeEach, describe, expect, it, vi } from 'vitest';
import { answerOf, TIME_OUT } from '../../../fixtures/service-answers.ts';
import { serveInProcess } from '../../../support/served-storefront.ts';

let shop: ReturnType<typeof serveInProcess>;
beforeEach(() => {
  shop = serveInProcess();
});

describe('while the loyalty service is down', () => {
  it('shoppers hear so at once instead of waiting, after a few have waited', async () => {
    const interfere = vi.fn(() => TIME_OUT);
    shop.loyalty.world.interfere = interfere;
    for (let n = 0; n < 6; n += 1) {
      const { status, json, headers } = await shop.ask('rewards');
      expect([status, json.error.code]).toEqual([503, 'unavailable']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(interfere).toHaveBeenCalledTimes(3);
    expect(shop.telemetry.total('unavailable')).toBe(6);
  });

  it('a refused credential is reported to the operator', async () => {
    shop.loyalty.world.interfere = () => answerOf('', 401);
    expect((await shop.ask('rewards')).status).toBe(503);
    expect(shop.telemetry.total('misconfigured')).toBe(1);
  });

  it('a broken ledger is an answer too, without a word of what broke', async () => {
    const readMany = () => Promise.reject(new Error('table customer-7 is on fire'));
    shop.parts.ledger = { ...shop.parts.ledger, readMany };
    const { status, body } = await shop.ask('me', { customerId: '7' });
    expect(status).toBe(503);
    expect(body).not.toContain('fire');
    expect(JSON.stringify(shop.telemetry.logged)).not.toContain('on fire');
  });
});
