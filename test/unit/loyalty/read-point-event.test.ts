import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText } from '../../../shared/core/balances/decimal-text.ts';
import { readPointEvent } from '../../../shared/loyalty/read-point-event.ts';
import { pointEvent } from '../../fixtures/point-event.ts';

const read = (given: Readonly<Record<string, unknown>> = {}, field = 'Id') =>
  readPointEvent(pointEvent(given), field);

describe('a point event', () => {
  it('is read for its balance, date, transaction and customer’s id, and no personal data', () => {
    expect(read()).toEqual({
      kind: 'event',
      event: {
        pointId: '90210',
        eventDate: '2026-10-09T11:59:30.000Z',
        customerId: '7001',
        balance: { points: 310, cashback: 15.5 },
      },
    });
  });

  it('is read wrapped, with its topic as a text or as a number, and bare', () => {
    const wrapped = { Uuid: 'u', Timestamp: '2026-10-09T12:00:00Z', Payload: pointEvent() };
    for (const Topic of ['Point_Add', 1]) {
      expect(readPointEvent({ ...wrapped, Topic }, 'Id')).toEqual(read());
    }
    expect(readPointEvent({ ...wrapped, Payload: null }, 'Id').kind).toBe('not-the-contract');
  });

  it('has its customer in the field that the merchant names', () => {
    const Customer = { StoreId: 77, Id: '7001' };
    expect(read({ Customer }, 'StoreId')).toMatchObject({ event: { customerId: '77' } });
    expect(read({ Customer }, 'toString')).toMatchObject({ event: { customerId: undefined } });
  });

  it.each([
    ['2026-10-09T08:59:30-03:00', '2026-10-09T11:59:30.000Z'],
    ['2026-10-09T11:59:30.1234567Z', '2026-10-09T11:59:30.123Z'],
    // Without a zone: UTC on every machine.
    ['2026-10-09T11:59:30', '2026-10-09T11:59:30.000Z'],
    ['2026-10-09T11:59', '2026-10-09T11:59:00.000Z'],
  ])('is dated %s', (EventDate, eventDate) => {
    expect(read({ EventDate })).toMatchObject({ event: { eventDate } });
  });

  it.each([
    'Points',
    'PointType',
    'PointAction',
    'Customer',
    'PointsBalance',
    'PointId',
    'EventDate',
    'Origins',
  ])('without %s is refused', (field) => {
    expect(read({ [field]: undefined })).toEqual({ kind: 'not-the-contract', field });
  });

  it('may omit optional fields and have unknown ones', () => {
    const rest = { Cashback: undefined, ValidDate: null, ValidDateFormatted: undefined, New: 1 };
    expect(read(rest).kind).toBe('event');
    expect(read({ Cashback: null, ValidDateFormatted: null }).kind).toBe('event');
  });

  it('never throws for any input', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(['event', 'not-the-contract']).toContain(readPointEvent(value, 'OriginalId').kind);
      }),
    );
  });
});

describe('a decimal of a metafield', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [64.9, '64.9'],
    [0.1 + 0.2, '0.3'],
    [-12.5, '-12.5'],
    [1234567890123.45, '1234567890123.45'],
    [1e-7, '0.0000001'],
    [1e-12, '0'],
  ])('writes %d as %s', (value, text) => {
    expect(decimalText(value)).toBe(text);
  });

  it('fits the type of the metafield or is refused', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(decimalText(value) ?? '0').toMatch(/^-?\d{1,13}(?:\.\d{1,9})?$/);
      }),
    );
    expect(decimalText(1e13)).toBeUndefined();
    expect(decimalText(Number.NaN)).toBeUndefined();
  });
});
