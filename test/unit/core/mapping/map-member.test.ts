import { describe, expect, it } from 'vitest';
import { hidesDetails, mapMember } from '../../../../shared/core/mapping/customer-form.ts';
import { type EntityRules, mapSnapshot } from '../../../../shared/core/mapping/map-snapshot.ts';
import type { StoreMember } from '../../../../shared/store/member.ts';
import { neverSent, rules, storeOrder } from '../../../fixtures/store-entities.ts';

const member: StoreMember = {
  id: '9',
  name: 'Robin Sample',
  email: 'robin.sample@example.com',
  phone: '+15555550142',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-10-05T11:00:00.000Z',
  metafields: undefined,
};
const NOW = new Date('2026-10-06T00:00:00.000Z');
const version = Date.parse(member.updatedAt);
const known = { known: true, remembered: undefined };

function formOf(one: StoreMember, changed: Partial<EntityRules> = {}) {
  const mapped = mapMember(one, { ...rules, ...changed }, neverSent);
  if (mapped.kind !== 'wanted' || mapped.wanted.kind !== 'member') throw new Error(mapped.kind);
  return mapped.wanted.member;
}

describe('a customer alone', () => {
  it('is sent as the store knows them, and the ledger keeps no e-mail address', () => {
    expect(formOf(member)).toEqual({
      OriginalId: '9',
      Name: 'Robin Sample',
      Email: 'robin.sample@example.com',
      Phone: '+15555550142',
      SignupDate: '2026-01-01T00:00:00.000Z',
    });
    const mapped = mapMember(member, rules, neverSent);
    expect(JSON.stringify(mapped.kind === 'wanted' && mapped.remember)).not.toMatch(/robin|5555/);
  });

  it.each([
    ['unstated', undefined],
    ['everyone', true],
    [() => false, undefined],
  ] as const)('is enrolled by %s: %s', (enrolment, expected) => {
    expect(formOf(member, { enrolment }).IsEnrolled).toBe(expected);
  });

  it('has a document only from a metafield of their own', () => {
    const own = { owner: 'customer', namespace: 'facts', key: 'id' } as const;
    const near = [
      { ...own, namespace: 'other', value: '7' },
      { ...own, key: 'other', value: '8' },
    ];
    const one = { ...member, metafields: [...near, { ...own, value: ' 123 ' }] };
    const from = 'metafield' as const;
    expect(formOf(one, { document: { from, ...own } }).Document).toBe('123');
    expect(formOf(one, { document: { from, ...own, owner: 'order' } })).not.toHaveProperty(
      'Document',
    );
    expect(formOf(one, { document: () => '456' })).not.toHaveProperty('Document');
  });

  it('is asked for again where a rule wants a metafield of theirs, which no webhook has', () => {
    const own = { from: 'metafield', owner: 'customer', namespace: 'facts', key: 'id' } as const;
    const hides = (metafields: StoreMember['metafields'], birthday: EntityRules['birthday']) =>
      hidesDetails({ metafields }, { ...rules, birthday });
    expect(hides(undefined, own)).toBe(true);
    expect(hides([], own)).toBe(false);
    expect(hides(undefined, { ...own, owner: 'order' })).toBe(false);
  });

  it('is sent with their orders only, if the settings say so', () => {
    const withOrders = { ...rules, customers: 'with-orders' } as const;
    expect(mapMember(member, withOrders, known)).toEqual({
      kind: 'skip',
      why: 'customers-with-orders',
    });
  });

  it('who is deleted in the store ends only what was sent', () => {
    const key = { shop: 'example-store.myshopify.com', kind: 'member', id: '9' } as const;
    const snapshot = {
      kind: 'snapshot',
      entity: { kind: 'gone' },
      version,
      source: 'store',
    } as const;
    const sent = { version: 1, uncertain: false, appliedKey: 'k', outcomes: [], revision: 1 };
    expect(mapSnapshot(key, snapshot, sent, rules, NOW)).toMatchObject({
      wanted: { kind: 'deleted-member', id: '9' },
    });
    expect(mapSnapshot(key, snapshot, undefined, rules, NOW)).toEqual({
      kind: 'skip',
      why: 'never-sent',
    });
  });

  it('without an e-mail address is not sent at first, and followed once they are known', () => {
    const { email: _, ...rest } = member;
    const nameless = { ...rest, email: undefined };
    expect(mapMember(nameless, rules, neverSent)).toMatchObject({ why: 'customer-without-email' });
    expect(mapMember(nameless, rules, known).kind).toBe('wanted');
  });

  it('who was redacted is not sent again by an older body, and is by a newer one', () => {
    const key = { shop: 'example-store.myshopify.com', kind: 'member', id: '9' } as const;
    const entity = { kind: 'member', member } as const;
    const snapshot = { kind: 'snapshot', entity, version, source: 'event' } as const;
    const mapAfter = (redactedAt: number) =>
      mapSnapshot(
        key,
        snapshot,
        { version: 1, uncertain: false, outcomes: [], revision: 1, redactedAt },
        rules,
        NOW,
      );
    expect(mapAfter(version)).toEqual({ kind: 'skip', why: 'redacted' });
    expect(mapAfter(version - 1).kind).toBe('wanted');
  });
});

describe('an order whose customer is another than before', () => {
  const order = storeOrder({ fulfilledAfterDays: 1 });
  const sentWith = (OrderCompletedDate: string | null) => {
    const customer = { OriginalId: '1', Email: 'gone@example.com' };
    return `o1${JSON.stringify({ basics: { OrderCompletedDate }, customer })}`;
  };
  const customerOf = (remembered: string, customers: EntityRules['customers']) => {
    const key = { shop: 'example-store.myshopify.com', kind: 'order', id: order.id } as const;
    const entity = { kind: 'order', order } as const;
    const snapshot = { kind: 'snapshot', entity, version, source: 'store' } as const;
    const entry = { version: 1, uncertain: false, appliedKey: 'k', outcomes: [], revision: 1 };
    const mapped = mapSnapshot(
      key,
      snapshot,
      { ...entry, remembered },
      { ...rules, customers },
      NOW,
    );
    if (mapped.kind !== 'wanted' || !('order' in mapped.wanted)) throw new Error(mapped.kind);
    return mapped.wanted.order.Customer?.OriginalId;
  };

  it('stays with the one who earned its points, and goes to the new one before that', () => {
    const completed = order.fulfilledAt ?? '';
    expect(customerOf(sentWith(completed), 'from-sign-up')).toBe('1');
    expect(customerOf(sentWith(null), 'from-sign-up')).toBe(order.customer?.id);
    // Where merges are not followed, too: sent for the other, it could earn twice.
    expect(customerOf(sentWith(completed), 'with-orders')).toBe('1');
  });
});
