import { describe, expect, it } from 'vitest';
import { pointTopics } from '../../../shared/loyalty/point-topics.ts';
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

const body = JSON.stringify(pointEvent());

describe('an attacker at the address of point events', () => {
  it('gets the same answer for a wrong shop, topic, token and shape of the path', async () => {
    const { balances } = await open();
    const token = balances.tokenOf('Point_Add');
    const wrong = [
      `example-store/Point_Add/${newToken()}`,
      'example-store/Point_Add/',
      'example-store/Point_Add',
      `example-store/Point_Add/${token.slice(0, -1)}`,
      `example-store/Point_Add/${token}x`,
      `example-store/Point_Add/${token}/`,
      `example-store/Point_Add/${token}/more`,
      `/example-store/Point_Add/${token}`,
      `example-store/point_add/${token}`,
      `example-store/__proto__/${token}`,
      `example-store/constructor/${token}`,
      `nobody/Point_Add/${token}`,
      `example-store/Point_Add/${'x'.repeat(43)}`,
      `example-store/Point_Add/%00${token}`,
      'example-store/Point_Add/undefined',
      '',
    ];
    for (const path of wrong)
      expect([path, await balances.request(path, body)]).toEqual([path, 401]);
    expect(await balances.waiting()).toBe(0);
  });

  it('cannot use the token of another topic or another shop', async () => {
    const { balances } = await open();
    for (const topic of pointTopics) {
      for (const other of pointTopics.filter((one) => one !== topic)) {
        const path = `example-store/${topic}/${balances.tokenOf(other)}`;
        expect(await balances.request(path, body)).toBe(401);
      }
      const foreign = balances.tokenOf(topic, 'second-store');
      expect(await balances.request(`example-store/${topic}/${foreign}`, body)).toBe(401);
    }
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
    const path = `example-store/Point_Add/${balances.tokenOf('Point_Add')}`;
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
      expect(await balances.request(path, body, method)).toBe(405);
    }
  });

  it('cannot fill the queue with a large body, nor with nonsense, even with the right token', async () => {
    const { balances } = await open();
    const path = `example-store/Point_Add/${balances.tokenOf('Point_Add')}`;
    const large = JSON.stringify(pointEvent({ Note: 'x'.repeat(70_000) }));
    expect(await balances.request(path, large)).toBe(413);
    const nonsense = [
      '',
      'null',
      '[]',
      '"text"',
      '42',
      '{',
      '\ufeff{}',
      '{}',
      JSON.stringify(pointEvent({ PointsBalance: 310 })),
      JSON.stringify(pointEvent({ PointsBalance: { PointsBalance: '310', CashbackBalance: 1 } })),
      JSON.stringify(pointEvent({ PointsBalance: { PointsBalance: 1e300, CashbackBalance: 1 } })),
      JSON.stringify(pointEvent({ EventDate: 'yesterday' })),
      JSON.stringify(pointEvent({ EventDate: '2026-13-45T99:99:99Z' })),
      JSON.stringify(pointEvent({ EventDate: 1_790_000_000_000 })),
      JSON.stringify(pointEvent({ Customer: null })),
      JSON.stringify(pointEvent({ Customer: ['7001'] })),
      JSON.stringify(pointEvent({ Origins: undefined })),
      JSON.stringify(pointEvent({ PointId: 'x' })),
    ];
    for (const text of nonsense)
      expect([text, await balances.request(path, text)]).toEqual([text, 400]);
    expect(await balances.request(path, Uint8Array.of(0xff, 0xfe, 0x00))).toBe(400);
    expect(await balances.waiting()).toBe(0);
  });

  it('cannot make the id of a customer anything but the store’s number', async () => {
    const { balances } = await open();
    const odd = [
      'gid://shopify/Order/1',
      '7001 OR 1=1',
      '../7001',
      '0',
      '-1',
      '1e3',
      '',
      {},
      ['7001'],
      true,
      // Rounded by the parser, it would be somebody else's.
      2 ** 60,
    ];
    for (const Id of odd) {
      expect(await balances.post('Point_Add', pointEvent({ Customer: { Id } }))).toBe(200);
    }
    expect(await balances.post('Point_Add', pointEvent({ Customer: {} }))).toBe(200);
    expect(await balances.waiting()).toBe(0);
    const long = '820982911946154508';
    await balances.post('Point_Add', pointEvent({ Customer: { Id: long } }));
    expect(JSON.parse((await balances.peek())[0] ?? '{}')).toMatchObject({ id: long });
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

describe('tokens', () => {
  it('overlap while they are rotated, and the older one ends with the rotation', async () => {
    const { connector, balances } = await open();
    const older = balances.tokenOf('Point_Add');
    expect(await balances.post('Point_Add', pointEvent())).toBe(200);
    const current = newToken();
    const pairs = { ...(await pairsOf(balances)), Point_Add: { current, previous: older } };
    await balances.keepTokens('example-store', pairs);
    // Known at once by its failure; the older one serves meanwhile.
    connector.pass(61);
    expect(await balances.request(`example-store/Point_Add/${current}`, body)).toBe(200);
    expect(await balances.request(`example-store/Point_Add/${older}`, body)).toBe(200);
    await balances.keepTokens('example-store', { ...pairs, Point_Add: { current } });
    connector.pass(301);
    expect(await balances.request(`example-store/Point_Add/${older}`, body)).toBe(401);
    expect(await balances.request(`example-store/Point_Add/${current}`, body)).toBe(200);
    expect(connector.output.pieces.join('\n')).toContain('older-secret-used');
  });

  it('that are not set let no one in', async () => {
    const { connector, balances } = await open();
    const pairs = await pairsOf(balances);
    await balances.keepTokens('example-store', { ...pairs, Point_Update: { current: 'short' } });
    connector.pass(301);
    const path = `example-store/Point_Add/${newToken()}`;
    expect(await balances.request(path, body)).toBe(503);
  });
});

async function pairsOf(balances: Awaited<ReturnType<typeof openBalances>>) {
  return Object.fromEntries(
    pointTopics.map((topic) => [topic, { current: balances.tokenOf(topic) }]),
  ) as Record<(typeof pointTopics)[number], { readonly current: string }>;
}
