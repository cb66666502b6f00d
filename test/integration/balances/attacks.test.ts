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
  it('that are not set let no one in', async () => {
    const { connector, points } = await open();
    await points.keepTokens('example-store', { current: 'short' });
    connector.pass(301);
    expect(await points.request('example-store', body, newToken())).toBe(503);
  });
});
