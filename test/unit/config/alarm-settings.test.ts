import { describe, expect, it } from 'vitest';
import {
  type ConnectorSettings,
  checkConnector,
  defineConnector,
} from '../../../shared/config/connector-config.ts';

const least: ConnectorSettings = {
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
};

const silence = { hours: 4, opens: 9, closes: 21, timeZone: 'America/Sao_Paulo' };

function faultsOf(alarms: unknown): string[] {
  const checked = checkConnector({ ...least, alarms } as ConnectorSettings);
  return checked.kind === 'faulty'
    ? checked.faults.map(({ path, problem }) => `${path} ${problem}`)
    : [];
}

describe('the settings of the alarms', () => {
  it('accept addresses and opening hours', () => {
    const emails = ['oncall@example.com', 'shop@example.com'];
    const alarms = { emails, orderSilence: silence };
    expect(faultsOf(alarms)).toEqual([]);
    expect(defineConnector({ ...least, alarms }).alarms).toEqual({ emails });
  });

  it('give every shop the common silence unless it has its own', () => {
    const own = { ...silence, hours: 2, days: 'monday-to-friday' } as const;
    const { shops } = defineConnector({
      ...least,
      alarms: { orderSilence: silence },
      rules: { currency: 'EUR' },
      shops: [
        { domain: 'one.myshopify.com' },
        { domain: 'two.myshopify.com', orderSilence: own },
        { domain: 'three.myshopify.com', orderSilence: false },
      ],
    });
    expect(shops.map(({ orderSilence }) => orderSilence)).toEqual([silence, own, false]);
  });

  it.each([
    [
      { ...silence, timeZone: 'Sao Paulo' },
      'timeZone must be a time zone such as America/Sao_Paulo',
    ],
    [{ ...silence, opens: 21, closes: 9 }, 'closes must be later than opens'],
    [
      { ...silence, hours: 11 },
      'hours must be at least 2 less than the hours between opens and closes',
    ],
    [
      { ...silence, days: 'weekends' },
      "days must be 'every-day', 'monday-to-friday' or 'monday-to-saturday'",
    ],
    [{ ...silence, hours: 0 }, 'hours must be a whole number of hours from 1 to 24'],
  ])('refuse a silence that no alarm could notice: %j', (orderSilence, fault) => {
    expect(faultsOf({ orderSilence })).toEqual([`alarms.orderSilence.${fault}`]);
  });

  it('accept any number of hours where the shop is always open', () => {
    expect(faultsOf({ orderSilence: { ...silence, opens: 0, closes: 24, hours: 24 } })).toEqual([]);
    const weekdays = { ...silence, opens: 0, closes: 24, hours: 24, days: 'monday-to-friday' };
    expect(faultsOf({ orderSilence: weekdays })).toHaveLength(1);
  });

  it('refuse an invalid address', () => {
    expect(faultsOf({ emails: ['on call@example.com'] })).toEqual([
      'alarms.emails[0] must be an e-mail address',
    ]);
  });
});
