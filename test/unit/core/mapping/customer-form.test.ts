import { describe, expect, it } from 'vitest';
import type { MappingRules } from '../../../../shared/config/mapping-settings.ts';
import {
  hidesDetails,
  mapMember,
  needsMetafields,
} from '../../../../shared/core/mapping/customer-form.ts';
import { mapOrder } from '../../../../shared/core/mapping/map-order.ts';
import { mapSnapshot } from '../../../../shared/core/mapping/map-snapshot.ts';
import type { StoreMember, StoreOrder } from '../../../../shared/store/store-entities.ts';
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
const memberVersion = Date.parse(member.updatedAt);
const knownBefore = { known: true, remembered: undefined };

function formOf(one: StoreMember, changed: Partial<MappingRules> = {}) {
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
    ['unstated', undefined, undefined],
    ['everyone', true, true],
    // It is asked about orders only.
    [() => false, undefined, false],
  ] as const)('is enrolled by %s: %s, and with an order: %s', (enrolment, alone, withOrder) => {
    expect(formOf(member, { enrolment }).IsEnrolled).toBe(alone);
    expect(customerOf(storeOrder(), { enrolment })?.IsEnrolled).toBe(withOrder);
  });

  it('has document and birthday only from a metafield of their own', () => {
    const own = { owner: 'customer', namespace: 'facts', key: 'id' } as const;
    const near = [
      { ...own, namespace: 'other', value: '7' },
      { ...own, key: 'other', value: '8' },
    ];
    const born = { ...own, key: 'born', value: '1990-04-01' };
    const one = { ...member, metafields: [...near, { ...own, value: ' 123 ' }, born] };
    const from = 'metafield' as const;
    expect(formOf(one, { document: { from, ...own } }).Document).toBe('123');
    const { BirthdayDate } = formOf(one, { birthday: { from, ...own, key: 'born' } });
    expect(BirthdayDate).toBe('1990-04-01T00:00:00.000Z');
    expect(formOf(one, { document: { from, ...own, owner: 'order' } })).not.toHaveProperty(
      'Document',
    );
    expect(formOf(one, { document: () => '456' })).not.toHaveProperty('Document');
  });

  it('is asked for again where a rule wants a metafield of theirs, which no webhook has', () => {
    const own = { from: 'metafield', owner: 'customer', namespace: 'facts', key: 'id' } as const;
    const hides = (metafields: StoreMember['metafields'], birthday: MappingRules['birthday']) =>
      hidesDetails({ metafields }, { ...rules, birthday });
    expect(hides(undefined, own)).toBe(true);
    expect(hides([], own)).toBe(false);
    expect(hides(undefined, { ...own, owner: 'order' })).toBe(false);
  });

  it('is sent with their orders only, if the settings say so', () => {
    const withOrders = { ...rules, customers: 'with-orders' } as const;
    expect(mapMember(member, withOrders, knownBefore)).toEqual({
      kind: 'skip',
      why: 'customers-with-orders',
    });
  });

  it('who is deleted in the store ends only what was sent', () => {
    const key = { shop: 'example-store.myshopify.com', kind: 'member', id: '9' } as const;
    const snapshot = {
      kind: 'snapshot',
      entity: { kind: 'gone' },
      version: memberVersion,
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
    expect(mapMember(nameless, rules, knownBefore).kind).toBe('wanted');
  });

  it('who was redacted is not sent again by an older body, and is by a newer one', () => {
    const key = { shop: 'example-store.myshopify.com', kind: 'member', id: '9' } as const;
    const entity = { kind: 'member', member } as const;
    const snapshot = { kind: 'snapshot', entity, version: memberVersion, source: 'event' } as const;
    const mapAfter = (redactedAt: number) =>
      mapSnapshot(
        key,
        snapshot,
        { version: 1, uncertain: false, outcomes: [], revision: 1, redactedAt },
        rules,
        NOW,
      );
    expect(mapAfter(memberVersion)).toEqual({ kind: 'skip', why: 'redacted' });
    expect(mapAfter(memberVersion - 1).kind).toBe('wanted');
  });
});

const birthMetafield = { owner: 'customer', namespace: 'facts', key: 'birth_date' } as const;
const fromMetafield = { from: 'metafield', ...birthMetafield } as const;

function mapped(order: StoreOrder, changed: Partial<MappingRules>, remembered?: string) {
  return mapOrder(order, { ...rules, ...changed }, { known: remembered !== undefined, remembered });
}

function customerOf(order: StoreOrder, changed: Partial<MappingRules>, remembered?: string) {
  const result = mapped(order, changed, remembered);
  if (result.kind !== 'wanted' || result.wanted.kind !== 'order') throw new Error(result.kind);
  return result.wanted.order.Customer;
}

describe('the customer of an order', () => {
  it('has a document from a note attribute, if it is not blank', () => {
    const source = { document: { from: 'note-attribute', name: 'document' } } as const;
    const gift = { name: 'gift', value: 'yes' };
    const noted = (value: unknown) =>
      storeOrder({}, { note_attributes: [gift, { name: 'document', value }] });
    expect(customerOf(noted(' A-123 '), source)?.Document).toBe('A-123');
    expect(customerOf(noted(123), source)?.Document).toBe('123');
    for (const blank of ['  ', null])
      expect(customerOf(noted(blank), source)).not.toHaveProperty('Document');
  });

  it.each([
    ['1990-04-01', '1990-04-01T00:00:00.000Z'],
    ['1990-04-01T23:59:00-03:00', '1990-04-01T00:00:00.000Z'],
    ['01/04/1990', undefined],
    ['1990-02-31', undefined],
    ['1990-13-01', undefined],
    ['1990-04-011', undefined],
    ['born 1990-04-01', undefined],
    ['soon', undefined],
  ])('has the birthday %s as %s', (value, expected) => {
    expect(customerOf(storeOrder(), { birthday: () => value })?.BirthdayDate).toBe(expected);
  });

  it('keeps a detail that this snapshot cannot see, and drops one that is gone', () => {
    const seen = { ...storeOrder(), metafields: [{ ...birthMetafield, value: '1990-04-01' }] };
    const first = mapped(seen, { birthday: fromMetafield });
    const remembered = first.kind === 'wanted' ? first.remember : undefined;
    const birthdayIn = (order: StoreOrder) =>
      customerOf(order, { birthday: fromMetafield }, remembered)?.BirthdayDate;
    expect(birthdayIn(storeOrder())).toBe('1990-04-01T00:00:00.000Z');
    expect(birthdayIn({ ...seen, metafields: [] })).toBe(undefined);
    expect(birthdayIn(storeOrder({}, { customer: { id: 7 } }))).toBe(undefined);
  });

  it('has a detail from the one metafield of that owner, namespace and key', () => {
    const near = [
      { ...birthMetafield, owner: 'order', value: '1991-01-01' },
      { ...birthMetafield, namespace: 'other', value: '1992-02-02' },
      { ...birthMetafield, key: 'other', value: '1993-03-03' },
    ] as const;
    const birthdayIn = (metafields: StoreOrder['metafields']) =>
      customerOf({ ...storeOrder(), metafields }, { birthday: fromMetafield })?.BirthdayDate;
    expect(birthdayIn(near)).toBe(undefined);
    const all = [...near, { ...birthMetafield, value: '1990-04-01' }];
    expect(birthdayIn(all)).toBe('1990-04-01T00:00:00.000Z');
  });

  it('has the e-mail address of today, also in an order that has earned points', () => {
    const earned = storeOrder({ fulfilledAfterDays: 1 });
    const first = mapped(earned, {});
    const remembered = first.kind === 'wanted' ? first.remember : undefined;
    const { customer } = earned;
    if (!customer) throw new Error('the order has no customer');
    const moved = { ...earned, customer: { ...customer, email: 'moved@example.com' } };
    expect(customerOf(moved, {}, remembered)?.Email).toBe('moved@example.com');
  });

  it('needs the store to be read exactly where a rule wants what a webhook lacks', () => {
    const needs = (order: StoreOrder, changed: Partial<MappingRules>) =>
      needsMetafields(order, { ...rules, ...changed });
    expect(needs(storeOrder(), {})).toBe(false);
    expect(needs(storeOrder(), { document: () => 'x' })).toBe(false);
    expect(needs(storeOrder(), { document: { from: 'note-attribute', name: 'x' } })).toBe(false);
    expect(needs(storeOrder(), { birthday: fromMetafield })).toBe(true);
    expect(needs({ ...storeOrder(), metafields: [] }, { birthday: fromMetafield })).toBe(false);
  });
});

describe('a function of the merchant’s', () => {
  it('adds metadata, which wins over the connector’s own', () => {
    const result = mapped(storeOrder(), {
      metadata: (order) => ({ source: 'ours', lines: `${order.lines.length}` }),
    });
    expect(result).toMatchObject({
      wanted: {
        order: {
          Metadatas: [
            { Name: 'currency' },
            { Name: 'lines', Value: '1' },
            { Name: 'order_name' },
            { Name: 'source', Value: 'ours' },
          ],
        },
      },
    });
  });

  it('may say nothing', () => {
    const silent = () => undefined;
    const result = customerOf(storeOrder(), { document: silent, enrolment: silent });
    expect(result).not.toHaveProperty('Document');
    expect(result).not.toHaveProperty('IsEnrolled');
  });

  it('that throws is a fault of that order, and its message, which may quote a person, is not kept', () => {
    const document = (order: StoreOrder): never => {
      throw new TypeError(`${order.customer?.email} order is not defined`);
    };
    const all = { document, birthday: document, enrolment: document };
    const faults = Object.keys(all).map((name) => `rules.${name} threw TypeError`);
    expect(mapped(storeOrder(), all)).toEqual({ kind: 'fault', faults });
  });

  it.each([
    ['a number', () => 5],
    ['a promise', async () => 'A-1'],
    ['null', () => null],
  ])('that answers with %s is a fault of that order', (_, answer) => {
    const document = answer as unknown as () => string;
    expect(mapped(storeOrder(), { document })).toEqual({
      kind: 'fault',
      faults: ['rules.document must return text or undefined'],
    });
  });

  it('that answers in another form is named', () => {
    const wrong = (() => 'yes') as unknown as () => boolean;
    expect(mapped(storeOrder(), { enrolment: wrong })).toEqual({
      kind: 'fault',
      faults: [expect.stringMatching(/^rules\.enrolment .*true, false/)],
    });
  });

  it('cannot smuggle a value out in the name of its error', () => {
    const document = (): never => {
      throw Object.assign(new Error(), { name: 'robin.sample@example.com' });
    };
    expect(JSON.stringify(mapped(storeOrder(), { document }))).not.toContain('robin');
  });

  it('that gives metadata other than texts is a fault of that order', () => {
    for (const answer of [{ a: 'b', c: 1 }, ['b'], null, 'b']) {
      const metadata = (() => answer) as unknown as NonNullable<MappingRules['metadata']>;
      expect(mapOrder(storeOrder(), { ...rules, metadata }, neverSent)).toEqual({
        kind: 'fault',
        faults: ['rules.metadata must return an object of texts'],
      });
    }
  });
});
