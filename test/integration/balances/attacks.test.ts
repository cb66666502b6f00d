import { describe, expect, it } from 'vitest';
import { pointEvent } from '../../fixtures/point-event.ts';
import { newToken, openBalances } from '../../support/running-balances.ts';
import { runConnectors } from '../../support/running-connector.ts';

const connectors = runConnectors();

async function open() {
  const connector = await connectors.open();
  const balances = await openBalances(connector);
  const { Name, Email } = pointEvent().Customer as { Name: string; Email: string };
  connector.confidential.addPersonal({ customer: { first_name: Name, email: Email } });
  return { connector, balances };
}

const event = (given: Parameters<typeof pointEvent>[0]) => JSON.stringify(pointEvent(given));
const body = event({});

describe('an attacker at the address of point events', () => {
  it('gets the same answer for a wrong shop, topic, token, header and shape of the path', async () => {
    const { balances } = await open();
    const token = balances.tokenOf();
    const wrong = [
      `example-store/${newToken()}`,
      'example-store',
      'example-store/',
      `example-store/${token.slice(0, -1)}`,
      `example-store/${token}x`,
      `example-store/${token}/`,
      `example-store/${token}/more`,
      `/example-store/${token}`,
      `example-store/Point_Add/${token}`,
      `example-store/point_add/${token}`,
      `example-store/__proto__/${token}`,
      `example-store/constructor/${token}`,
      `nobody/${token}`,
      `example-store/${'x'.repeat(43)}`,
      `example-store/%00${token}`,
      'example-store/undefined',
      '',
    ];
    for (const path of wrong)
      expect([path, await balances.request(path, body)]).toEqual([path, 401]);
    for (const header of [newToken(), '', `${token} `, `${token},${token}`, 'undefined']) {
      const status = await balances.request('example-store', body, { header });
      expect([header, status]).toEqual([header, 401]);
    }
    expect(await balances.waiting()).toBe(0);
  });

  it('cannot use the token of another shop', async () => {
    const { balances } = await open();
    const foreign = balances.tokenOf('second-store');
    expect(await balances.request(`example-store/${foreign}`, body)).toBe(401);
    expect(await balances.request('example-store', body, { header: foreign })).toBe(401);
    expect(await balances.waiting()).toBe(0);
  });

  it('adds nothing by repeating a captured event: the queue knows it by point, topic and date', async () => {
    const { balances } = await open();
    for (let times = 0; times < 5; times += 1) {
      expect(await balances.post('Point_Add', pointEvent())).toBe(200);
    }
    expect(await balances.waiting()).toBe(1);
    // Another topic, another point and another date are other events.
    await balances.post('Point_Update', pointEvent());
    await balances.post('Point_Add', pointEvent({ PointId: 90_211 }));
    await balances.post('Point_Add', pointEvent({ EventDate: '2026-10-09T11:59:31Z' }));
    expect(await balances.waiting()).toBe(4);
  });

  it('gets nothing but POST answered', async () => {
    const { balances } = await open();
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
      const given = { method, header: balances.tokenOf() };
      expect(await balances.request('example-store', body, given)).toBe(405);
    }
  });

  it('parks an event from the future with its reason, and nothing of it reaches the store', async () => {
    const { balances } = await open();
    await balances.post('Point_Add', pointEvent({ EventDate: '2027-10-09T12:00:00Z' }));
    await balances.work();
    const [letter] = await balances.deadLetters();
    expect(letter).toMatchObject({ reason: 'rejected' });
    expect(letter?.why).toContain('after its arrival');
    expect(await balances.waiting()).toBe(0);
  });
});

describe('what carries the right proof', () => {
  it.each<readonly [RegExp, Uint8Array | string]>([
    [/not JSON/, ''],
    [/not JSON/, '{'],
    [/not JSON/, Uint8Array.of(0xff, 0xfe, 0x00)],
    [/body is missing/, 'null'],
    [/Customer is missing/, '[]'],
    [/Customer is missing/, '{}'],
    [/Customer is missing/, event({ Customer: null })],
    [/Customer is missing/, event({ Customer: ['7001'] })],
    [/PointsBalance is missing/, event({ PointsBalance: 310 })],
    [/PointsBalance\./, event({ PointsBalance: { PointsBalance: '3', CashbackBalance: 1 } })],
    [/no store can keep/, event({ PointsBalance: { PointsBalance: 1e300, CashbackBalance: 1 } })],
    [/EventDate is missing/, event({ EventDate: undefined })],
    [/EventDate is missing/, event({ EventDate: '2026-13-45T99:99:99Z' })],
    [/PointId is missing/, event({ PointId: 'x' })],
    [/neither the id/, event({ Customer: {} })],
    [/neither the id/, event({ Customer: { Id: '../7001' } })],
    // Rounded by the parser, it would be the id of another customer.
    [/neither the id/, event({ Customer: { Id: 2 ** 60 } })],
    [/larger than 65536 bytes/, event({ Note: 'x'.repeat(70_000) })],
  ])('is answered 200 and kept with its reason: %s (%#)', async (why, text) => {
    const { connector, balances } = await open();
    const header = balances.tokenOf();
    expect(await balances.request('example-store', text, { header })).toBe(200);
    await balances.settle();
    const [letter] = await balances.deadLetters();
    expect(letter).toMatchObject({ reason: 'unreadable', why: expect.stringMatching(why) });
    expect(letter?.body).toContain('"kind":"point-event"');
    expect(await connector.ledgerText()).not.toContain('"customer|');
  });
});

describe('tokens', () => {
  it('overlap while they are rotated, and the older one ends with the rotation', async () => {
    const { connector, balances } = await open();
    const older = balances.tokenOf();
    const send = (header: string) => balances.request('example-store', body, { header });
    expect(await send(older)).toBe(200);
    const current = newToken();
    await balances.keepTokens('example-store', { current, previous: older });
    // Known at once by its failure; the older one serves meanwhile.
    connector.pass(61);
    expect(await send(current)).toBe(200);
    expect(await send(older)).toBe(200);
    await balances.keepTokens('example-store', { current });
    connector.pass(301);
    expect(await send(older)).toBe(401);
    expect(await send(current)).toBe(200);
    expect(connector.output.pieces.join('\n')).toContain('olderToken');
  });

  it('that are not set let no one in', async () => {
    const { connector, balances } = await open();
    await balances.keepTokens('example-store', { current: 'short' });
    connector.pass(301);
    expect(await balances.request('example-store', body, { header: newToken() })).toBe(503);
  });
});
