import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPointEvent } from '../../../shared/loyalty/read-point-event.ts';
import { pointEvent } from '../../fixtures/point-event.ts';

const read = (given: Readonly<Record<string, unknown>> = {}, field = 'Id') =>
  readPointEvent(pointEvent(given), field);

describe('a point event', () => {
  it('is read for its date, transaction and customer', () => {
    expect(read()).toEqual({
      kind: 'event',
      event: {
        pointId: '90210',
        eventDate: '2026-10-09T11:59:30.000Z',
        customer: { ids: ['7001'], email: 'jordan.testperson@example.com', document: undefined },
      },
    });
  });

  it('is read wrapped, with its topic as a text or as a number, and bare', () => {
    const wrapped = { Uuid: 'u', Timestamp: '2026-10-09T12:00:00Z', Payload: pointEvent() };
    const topicIn = (given: object) => {
      const one = readPointEvent({ ...wrapped, ...given }, 'Id');
      expect(one).toMatchObject({ event: { pointId: '90210', customer: { ids: ['7001'] } } });
      return one.kind === 'event' && one.event.topic;
    };
    expect(topicIn({ Topic: 'Point_Removed' })).toBe('Point_Removed');
    expect(topicIn({ Topic: 3, TopicName: 'Point_Removed' })).toBe('Point_Removed');
    // What the numbers mean is not documented.
    expect(topicIn({ Topic: 3 })).toBeUndefined();
    expect(topicIn({ Topic: 'Another_Topic' })).toBeUndefined();
    expect(readPointEvent({ ...wrapped, Payload: null }, 'Id').kind).toBe('not-the-contract');
    // Only the delivery names the topic.
    expect(read({ Topic: 'Point_Removed' })).toMatchObject({ event: { topic: undefined } });
  });

  it('has its customer in the field that the merchant names, or in OriginalId', () => {
    const idsIn = (Customer: object, field?: string) => {
      const one = read({ Customer }, field);
      return one.kind === 'event' && one.event.customer.ids;
    };
    expect(idsIn({ StoreId: 77, Id: '7001' }, 'StoreId')).toEqual(['77']);
    expect(idsIn({ StoreId: 77, Id: '7001' }, 'toString')).toEqual([]);
    expect(idsIn({ Id: null, OriginalId: '7002' })).toEqual(['7002']);
  });

  it('has an Id that is the e-mail or the document, depending on the platform', () => {
    const customerIn = (Customer: object) => read({ Customer });
    expect(customerIn({ Id: 'jordan@example.com' })).toMatchObject({
      event: { customer: { ids: [], email: 'jordan@example.com', document: undefined } },
    });
    expect(customerIn({ Id: '12345678900', Document: '123.456.789-00' })).toMatchObject({
      event: { customer: { ids: [], email: undefined, document: '123.456.789-00' } },
    });
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

  it.each(['Customer', 'PointId', 'EventDate'])('without %s is refused', (field) => {
    expect(read({ [field]: undefined })).toEqual({ kind: 'not-the-contract', field });
  });

  it('may omit what is not used, and have unknown fields: a subscription can change its payload', () => {
    const { Customer, PointId, EventDate } = pointEvent();
    const least = { Customer, PointId, EventDate, New: 1 };
    expect(readPointEvent(least, 'Id')).toEqual(read());
  });

  it('never throws for any input', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(['event', 'not-the-contract']).toContain(readPointEvent(value, 'OriginalId').kind);
      }),
    );
  });
});
