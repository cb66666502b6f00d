import { describe, expect, it } from 'vitest';
import { pointEvent } from '../../fixtures/point-event.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { newToken, openProgram } from '../../support/running-program.ts';

const connectors = runConnectors();

async function open() {
  const { connector, points } = await openProgram(connectors);
  const { Name, Email } = pointEvent().Customer as { Name: string; Email: string };
  connector.confidential.addPersonal({ customer: { first_name: Name, email: Email } });
  return { connector, points };
}

const event = (given: Parameters<typeof pointEvent>[0]) => JSON.stringify(pointEvent(given));
const body = event({});

describe('an attacker at the address of point events', () => {
  it('gets the same answer for a wrong shop, topic, token, header and shape of the path', async () => {
    const { connector, points } = await open();
    const token = points.tokenOf();
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
    for (const path of wrong) expect([path, await points.request(path, body)]).toEqual([path, 401]);
    for (const header of [newToken(), '', `${token} `, `${token},${token}`, 'undefined']) {
      const status = await points.request('example-store', body, header);
      expect([header, status]).toEqual([header, 401]);
    }
    expect(await connector.waiting()).toBe(0);
  });

  it('cannot use the token of another shop', async () => {
    const { connector, points } = await open();
    const foreign = points.tokenOf('second-store');
    expect(await points.request(`example-store/${foreign}`, body)).toBe(401);
    expect(await points.request('example-store', body, foreign)).toBe(401);
    expect(await connector.waiting()).toBe(0);
  });

  it('adds nothing by repeating a captured event: the queue knows it by point, topic and date', async () => {
    const { connector, points } = await open();
    for (let times = 0; times < 5; times += 1) {
      expect(await points.post('Point_Add', pointEvent())).toBe(200);
    }
    expect(await connector.waiting()).toBe(1);
    // Another topic, another point and another date are other events.
    await points.post('Point_Update', pointEvent());
    await points.post('Point_Add', pointEvent({ PointId: 90_211 }));
    await points.post('Point_Add', pointEvent({ EventDate: '2026-10-09T11:59:31Z' }));
    expect(await connector.waiting()).toBe(4);
  });
});

describe('tokens', () => {
  it('overlap while they are rotated, and the older one ends with the rotation', async () => {
    const { connector, points } = await open();
    const older = points.tokenOf();
    const send = (header: string) => points.request('example-store', body, header);
    expect(await send(older)).toBe(200);
    const current = newToken();
    const previousUntil = new Date(Date.now() + 86_400_000).toISOString();
    await points.keepTokens('example-store', { current, previous: older, previousUntil });
    // Known at once by its failure; the older one serves meanwhile.
    connector.pass(61);
    expect(await send(current)).toBe(200);
    expect(await send(older)).toBe(200);
    await points.keepTokens('example-store', { current });
    connector.pass(301);
    expect(await send(older)).toBe(401);
    expect(await send(current)).toBe(200);
    expect(connector.output.pieces.join('\n')).toContain('olderToken');
  });

  it('that are not set let no one in', async () => {
    const { connector, points } = await open();
    await points.keepTokens('example-store', { current: 'short' });
    connector.pass(301);
    expect(await points.request('example-store', body, newToken())).toBe(503);
  });
});
