import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { TOKEN_HEADER } from '../../../shared/core/balances/receive-points.ts';
import { newToken } from '../../support/running-balances.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { ADDRESS, forms, openPoints } from './point-deliveries.ts';
import type { Shopper } from './processes.ts';
import { openRedeemWorld, type PointPayload, type RedeemWorld } from './redeem-world.ts';

const connectors = runConnectors();
let world: RedeemWorld;
afterEach(() => world.stop());

async function open() {
  world = await openRedeemWorld(connectors);
  return openPoints(world);
}

const people: Readonly<Record<string, (customer: PointPayload['Customer']) => object>> = {
  Id: (customer) => customer,
  'e-mail only': ({ Email }) => ({ Id: null, Email, Document: null }),
  'document only': ({ Document }) => ({ Id: null, Email: null, Document }),
  'e-mail as Id': ({ Email }) => ({ Id: Email }),
  OriginalId: ({ Id }) => ({ OriginalId: Id }),
};

const pointsShown = (robin: Shopper) => Number(world.metafieldsOf(robin).points);

describe('a point event', () => {
  it.each(Object.keys(forms) as (keyof typeof forms)[])(
    '%s, whatever names its customer, brings the balance of the service into the store',
    async (form) => {
      const { receiver, headers } = await open();
      for (const [name, personOf] of Object.entries(people)) {
        const document = '390.533.447-05';
        const robin = await world.shopper({ points: 64.9, document: `${document}${name.length}` });
        const [event] = world.eventsOf(robin);
        if (!event) throw new Error('the sandbox sent no event');
        const payload = { ...event.payload, Customer: personOf(event.payload.Customer) };
        const body = forms[form]({ ...event, payload: payload as PointPayload });
        expect(await receiver.post(ADDRESS, JSON.stringify(body), headers)).toBe(200);
        await world.rest();
        expect([name, pointsShown(robin)]).toEqual([name, world.pointsOf(robin)]);
      }
      expect(await world.deadLetters()).toBe(0);
    },
  );

  it('whose Id is the document finds the customer by e-mail, and writes the document nowhere', async () => {
    const { receiver, headers } = await open();
    const document = '39053344705';
    const robin = await world.shopper({ points: 64.9, document });
    const [event] = world.eventsOf(robin);
    if (!event) throw new Error('the sandbox sent no event');
    const Customer = { Id: document, Email: robin.email, Document: null };
    const body = forms.wrapped({ ...event, payload: { ...event.payload, Customer } });
    expect(await receiver.post(ADDRESS, JSON.stringify(body), headers)).toBe(200);
    await world.rest();
    expect(pointsShown(robin)).toBe(world.pointsOf(robin));
    expect(await world.connector.ledgerText()).not.toContain(document);
    expect(world.connector.output.pieces.join('\n')).not.toContain(document);
  });

  it('of a customer whom neither side knows is answered, and changes nothing', async () => {
    const { receiver, headers } = await open();
    const robin = await world.shopper();
    const [event] = world.eventsOf(robin);
    if (!event) throw new Error('the sandbox sent no event');
    for (const Customer of [
      { Id: '404404404' },
      { Id: null, Email: 'stranger@example.com' },
      { Id: null, Email: null, Document: '00000000000' },
      { Id: null },
      {},
    ]) {
      const body = forms.wrapped({ ...event, payload: { ...event.payload, Customer } });
      expect(await receiver.post(ADDRESS, JSON.stringify(body), headers)).toBe(200);
    }
    const { metafields } = world.store.state();
    await world.rest();
    expect(world.store.state().metafields).toEqual(metafields);
  });

  it('that cannot be read is answered 2xx and kept as a dead letter, however many come', async () => {
    const { receiver, headers } = await open();
    const odd: readonly (string | Uint8Array)[] = [
      '',
      '{',
      'null',
      '[]',
      '"text"',
      '{}',
      '{"Topic":"Point_Add","Payload":5}',
      '{"Topic":"Point_Add","Payload":{"Points":"many"}}',
      Uint8Array.of(0xff, 0xfe, 0x00),
      JSON.stringify({ Topic: 'Point_Add', Payload: { Note: 'x'.repeat(70_000) } }),
      JSON.stringify({ Topic: 'Point_Add', Payload: { Note: randomBytes(2e6).toString('hex') } }),
    ];
    for (const body of odd) {
      const status = await receiver.post(ADDRESS, body, headers);
      expect([String(body).slice(0, 40), status]).toEqual([String(body).slice(0, 40), 200]);
      // The queue takes the same text once in five minutes.
      world.pass(301);
    }
    await world.rest();
    expect(await world.deadLetters()).toBe(odd.length);
  });

  it('gets 503 only when the queue cannot be reached', async () => {
    const { headers } = await open();
    const robin = await world.shopper();
    const [event] = world.eventsOf(robin);
    if (!event) throw new Error('the sandbox sent no event');
    const body = JSON.stringify(forms.wrapped(event));
    const cut = await world.startReceiver(({ service }) =>
      service === 'queue' ? 'unsent' : 'pass',
    );
    expect(await cut.post(ADDRESS, body, headers)).toBe(503);
    const back = await world.startReceiver();
    expect(await back.post(ADDRESS, body, headers)).toBe(200);
    await world.rest();
    expect(pointsShown(robin)).toBe(250);
  });
});

describe('the proof of a point event', () => {
  it('is the token in a header or in the address; two tokens at once while they are rotated', async () => {
    const { token: previous } = await open();
    const current = newToken();
    world.connector.confidential.addSecret(current);
    await world.keepPointTokens({ current, previous });
    const receiver = await world.startReceiver();
    const body = JSON.stringify({ Topic: 'Point_Add', Payload: {} });
    for (const token of [current, previous]) {
      expect(await receiver.post(ADDRESS, body, { [TOKEN_HEADER]: token })).toBe(200);
      expect(await receiver.post(`${ADDRESS}/${token}`, body)).toBe(200);
    }
  });

  it('that is wrong, absent or of another shop lets nothing in', async () => {
    const { receiver, token } = await open();
    const body = JSON.stringify({ Topic: 'Point_Add', Payload: {} });
    for (const wrong of [newToken(), '', token.slice(0, -1), `${token}x`, 'undefined']) {
      expect(await receiver.post(ADDRESS, body, { [TOKEN_HEADER]: wrong })).toBe(401);
      expect(await receiver.post(`${ADDRESS}/${wrong}`, body)).toBe(401);
      expect(await receiver.post(`${ADDRESS}/${wrong}`, body, { [TOKEN_HEADER]: wrong })).toBe(401);
    }
    expect(await receiver.post(ADDRESS, body)).toBe(401);
    expect(await receiver.post('second-store', body, { [TOKEN_HEADER]: token })).toBe(401);
    await world.rest();
    expect(await world.deadLetters()).toBe(0);
  });
});
