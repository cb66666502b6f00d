import { describe, expect, it } from 'vitest';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import { ANOTHER_MEMBER, createMembers } from '../../../../shared/rewards/redeem/own-member.ts';
import { openInProcessLoyalty } from '../../../support/in-process-loyalty.ts';
import { recordTelemetry } from '../../../support/recorded-telemetry.ts';

const MINE = '7000001';
const THEIRS = '7000002';
const EMAIL = 'robin@example.com';

/** Two members; `mine` and `theirs` change what the service knows of them. */
async function open({
  mine = {},
  theirs = {},
  posCustomerId = 'email-or-document' as 'email-or-document' | 'store-id',
}: {
  mine?: object;
  theirs?: object;
  posCustomerId?: 'email-or-document' | 'store-id';
} = {}) {
  const clock = { ms: Date.parse('2026-10-09T12:00:00.000Z') };
  const now = () => new Date(clock.ms);
  const loyalty = openInProcessLoyalty(now);
  const telemetry = recordTelemetry();
  const breaker = createCircuitBreaker();
  const shop = 'example-store.myshopify.com';
  for (const [OriginalId, more] of [
    [THEIRS, { Email: 'sasha@example.com', ...theirs }],
    [MINE, { Email: EMAIL, ...mine }],
  ] as const) {
    await loyalty.client.upsertCustomer({ OriginalId, Name: 'Robin', ...more } as never);
  }
  const members = createMembers({
    ...{ shop, loyalty: loyalty.client, breaker, telemetry, now, posCustomerId },
  });
  /** The customer whom `rewards/available` names. */
  const named = async (CustomerId: string) => {
    const listed = await loyalty.client.listAvailableRewards({ CustomerId });
    return 'value' in listed ? listed.value.Customer : undefined;
  };
  const from = loyalty.journal.length;
  const asked = () =>
    loyalty.journal
      .slice(from)
      .map(({ operation }) => operation)
      .filter((operation) => operation !== 'listAvailableRewards');
  /** Changes the records that the service answers. */
  const answers = (record: object) => {
    loyalty.world.interfere = (_, pass) => {
      const answer = pass();
      const body = JSON.parse(answer.text);
      Object.assign(body.Result, record);
      return { ...answer, text: JSON.stringify(body) };
    };
  };
  return { clock, loyalty, members, telemetry, named, asked, answers };
}

const OWN = { kind: 'own' };
const ANOTHER = { kind: 'another-member' };

describe('what is sent for a customer in the reward operations', () => {
  it('is the e-mail address of their own record, else the digits of the document', async () => {
    const byEmail = await open();
    expect(await byEmail.members.find(MINE)).toMatchObject({ kind: 'member', programId: EMAIL });
    const byDocument = await open({ mine: { Email: '', Document: '123.456.789-00' } });
    expect(await byDocument.members.find(MINE)).toMatchObject({ programId: '12345678900' });
    const byStoreId = await open({ posCustomerId: 'store-id' });
    expect(await byStoreId.members.find(MINE)).toMatchObject({ programId: MINE });
  });

  it('is nothing for one whom the service does not know, or knows without both', async () => {
    const { members, answers } = await open();
    expect(await members.find('8')).toEqual({ kind: 'not-a-member' });
    answers({ Email: ' ', Document: '-' });
    expect(await members.find(MINE)).toMatchObject({ kind: 'member', programId: undefined });
  });

  it.each([THEIRS, undefined, null, ''])('is nothing where the record names %j', async (id) => {
    const { members, answers } = await open();
    answers({ OriginalId: id });
    expect(await members.find(MINE)).toEqual(ANOTHER);
  });

  it.each<[string, (passed: string) => { readonly status: number; readonly text: string }]>([
    ['gone for a moment', () => ({ status: 503, text: '' })],
    ['of another id', (text) => ({ status: 200, text: text.replace(MINE, THEIRS) })],
  ])('is not kept from one who was %s a moment ago', async (_, before) => {
    const { members, loyalty } = await open();
    loyalty.world.interfere = (_call, pass) => ({ ...pass(), ...before(pass().text) });
    expect(await members.find(MINE)).not.toMatchObject({ kind: 'member' });
    loyalty.world.interfere = (_call, pass) => pass();
    expect(await members.find(MINE)).toMatchObject({ kind: 'member', programId: EMAIL });
  });

  it('is there for one who became a member a moment after the service did not know them', async () => {
    const { members, loyalty } = await open();
    expect(await members.find('8')).toEqual({ kind: 'not-a-member' });
    const joined = { OriginalId: '8', Name: 'Sam', Email: 'sam@example.com' };
    await loyalty.client.upsertCustomer(joined as never);
    expect(await members.find('8')).toMatchObject({ kind: 'member', programId: joined.Email });
  });

  it('is asked for once a minute', async () => {
    const { members, asked, clock } = await open();
    for (const passed of [0, 59_000, 1_000]) {
      clock.ms += passed;
      await members.find(MINE);
    }
    expect(asked()).toEqual(['getCustomer', 'getCustomer']);
  });
});

describe('a member whom an answer names', () => {
  it.each([
    ['the id of the store', { OriginalId: MINE }, OWN],
    ['another id of the store', { OriginalId: THEIRS }, ANOTHER],
    ['the id of the store as text', { Id: MINE }, OWN],
  ])('by %s is known without a call', async (_, customer, expected) => {
    const { members, asked } = await open();
    expect(await members.prove(MINE, EMAIL, customer)).toEqual(expected);
    expect(asked()).toEqual([]);
  });

  it('by the service’s number is known after one call, and for an hour without any', async () => {
    const { members, named, asked, clock } = await open();
    const customer = await named(EMAIL);
    for (const passed of [0, 3_599_000]) {
      clock.ms += passed;
      expect(await members.prove(MINE, EMAIL, customer)).toEqual(OWN);
    }
    expect(asked()).toEqual(['getCustomerPoints']);
  });

  it('by another number is looked for by the e-mail address, and is another', async () => {
    const { members, named, asked } = await open({ theirs: { Email: ` ${EMAIL}`.trim() } });
    expect(await members.prove(MINE, EMAIL, await named(EMAIL))).toEqual(ANOTHER);
    expect(asked()).toEqual(['getCustomerPoints', 'getCustomer']);
  });

  it('by a number of another kind is the one who has the e-mail address', async () => {
    const { members, asked } = await open();
    for (const _ of ['first', 'second']) {
      expect(await members.prove(MINE, EMAIL, { Id: 987_654 })).toEqual(OWN);
    }
    expect(asked()).toEqual(['getCustomerPoints', 'getCustomer']);
  });

  it('by a number that was the caller’s is not believed when it changes', async () => {
    const { members, named, loyalty } = await open();
    expect(await members.prove(MINE, EMAIL, await named(EMAIL))).toEqual(OWN);
    await loyalty.client.upsertCustomer({ OriginalId: THEIRS, Email: EMAIL });
    expect(await members.prove(MINE, EMAIL, await named(EMAIL))).toEqual(ANOTHER);
  });

  it.each([undefined, null, {}, { Id: EMAIL }, { Email: EMAIL }, 7])(
    'by nothing that is an id (%j) is the one who has the e-mail address',
    async (customer) => {
      const own = await open();
      expect(await own.members.prove(MINE, EMAIL, customer)).toEqual(OWN);
      const shared = await open({ theirs: { Email: EMAIL.toUpperCase() } });
      expect(await shared.members.prove(MINE, EMAIL, customer)).toEqual(ANOTHER);
    },
  );

  it('by a document alone is nobody, because no customer is read by it', async () => {
    const { members } = await open({ mine: { Email: '', Document: MINE } });
    expect(await members.prove(MINE, '12345678900', {})).toEqual(ANOTHER);
    // The service may put the document in place of the id.
    expect(await members.prove(MINE, '12345678900', { Id: MINE, Document: MINE })).toEqual(ANOTHER);
  });

  it.each(['email-or-document', 'store-id'] as const)(
    'by the document that is the caller’s number is another (%s)',
    async (posCustomerId) => {
      const shared = { Email: '', Document: MINE };
      const world = await open({ posCustomerId, mine: shared, theirs: { Document: MINE } });
      const points = await world.loyalty.client.getCustomerPoints(THEIRS);
      const Id = 'value' in points ? Number(points.value.InternalId) : undefined;
      expect(await world.members.find(MINE)).toMatchObject({ programId: MINE });
      expect(await world.members.prove(MINE, MINE, { Id, Document: MINE })).toEqual(ANOTHER);
      expect(await world.members.prove(MINE, MINE, { Document: '7.000.001' })).toEqual(ANOTHER);
    },
  );

  it('by nothing under the id of the store is the caller; under a document of the same digits nobody', async () => {
    const byId = await open({ posCustomerId: 'store-id' });
    const byDocument = await open({ mine: { Email: '', Document: MINE } });
    for (const customer of [undefined, {}, { Id: MINE }]) {
      expect(await byId.members.prove(MINE, MINE, customer)).toEqual(OWN);
      expect(await byDocument.members.prove(MINE, MINE, customer)).toEqual(ANOTHER);
    }
    expect(byId.asked()).toEqual([]);
  });

  it('by the service’s number is known under a document, too', async () => {
    const Document = '12345678900';
    const { members, named } = await open({ mine: { Email: '', Document } });
    expect(await members.prove(MINE, Document, await named(Document))).toEqual(OWN);
  });

  it('is not known while the service does not answer', async () => {
    const { members, loyalty } = await open();
    loyalty.world.interfere = () =>
      ({ kind: 'answer', status: 500, headers: {}, text: '' }) as never;
    expect(await members.prove(MINE, EMAIL, { Id: 2 })).toMatchObject({ kind: 'unavailable' });
    expect(await members.prove(MINE, EMAIL, {})).toMatchObject({ kind: 'unavailable' });
    expect(await members.find(MINE)).toMatchObject({ kind: 'unavailable' });
  });
});

describe('the line for the operator', () => {
  it('names both members, the other one masked, once an hour', async () => {
    const { members, telemetry, clock } = await open();
    await members.prove(MINE, EMAIL, { OriginalId: THEIRS });
    await members.prove(MINE, EMAIL, { OriginalId: THEIRS });
    const fields = { shop: 'example-store.myshopify.com', customerId: MINE, other: '…002' };
    const line = { level: 'error', message: ANOTHER_MEMBER, fields };
    expect(telemetry.logged).toMatchObject([line]);
    clock.ms += 3_600_000;
    await members.prove(MINE, EMAIL, { OriginalId: 'sasha@example.com' });
    expect(telemetry.logged).toHaveLength(2);
    expect(JSON.stringify(telemetry.logged)).not.toMatch(/sasha|robin|7000002/);
  });
});
