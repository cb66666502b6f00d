import { describe, expect, it } from 'vitest';
import { changeControl, withServicePause } from '../../../shared/core/calls/shop-pause.ts';
import {
  leaveWaiting,
  placeOrder,
  SHOP,
  useOperatedConnector,
} from '../../support/operated-connector.ts';

const operated = useOperatedConnector();
const orders = () => operated.loyalty.state().orders.length;

describe('loyalty-connector pause and resume', () => {
  it('stop and continue the calls of a shop; status, doctor and history show it', async () => {
    const asked = await operated.run('pause --for 2h --because moving');
    expect(asked.code).toBe(0);
    expect(asked.stdout.replace(/\s+/g, ' ')).toContain('Nothing is done before you agree.');
    expect(asked.stdout).toContain('npx loyalty-connector pause --because moving --for 2h --yes');

    const paused = await operated.run('pause --queue orders --because moving --yes');
    expect(paused.stderr).toBe('');
    expect(paused.stdout.replace(/\s+/g, ' ')).toMatch(
      /example-store\.myshopify\.com: orders paused since [\d: -]+ UTC by \w+, because: moving/,
    );
    const other = await operated.run('pause --queue orders --because later --yes --json');
    expect(JSON.parse(other.stdout).data.pauses).toMatchObject([{ because: 'later' }]);
    await placeOrder(operated);
    await operated.work();
    expect(orders()).toBe(0);

    const status = await operated.run('status');
    expect(status.code).toBe(1);
    expect(status.stdout).toContain(`npx loyalty-connector resume --shop ${SHOP} --queue orders`);
    expect(status.stdout.replace(/\s+/g, ' ')).toContain('because: later');
    const doctor = await operated.run('doctor');
    expect(doctor.stdout).toMatch(/orders paused since/);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(`npx loyalty-connector resume --shop ${SHOP} --queue orders`);

    const resumed = JSON.parse((await operated.run('resume --json')).stdout);
    expect(resumed.data).toMatchObject({ changed: true, ended: [{ shop: SHOP }], pauses: [] });
    expect(resumed.verdict.kind).toBe('ok');
    await operated.work();
    expect(orders()).toBe(1);
    const history = await operated.run('history');
    expect(history.stdout).toMatch(/pause/);
    expect(history.stdout).toMatch(/resume/);
  });

  it('a replay meanwhile says what holds it, and how it goes on', async () => {
    const before = orders();
    operated.loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 30 });
    await placeOrder(operated);
    await operated.work();
    operated.loyalty.faults.clear();
    await operated.run('pause --yes');
    const { code, stdout } = await operated.run('dead-letters replay --yes');
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /Pending 1 not finished\. A pause holds what was sent\. .*: all calls paused since/i,
    );
    expect(stdout).toContain(`npx loyalty-connector resume --shop ${SHOP}`);
    expect(code).toBe(3);
    await operated.run('resume');
    await operated.work();
    expect(orders()).toBe(before + 1);
    const none = await operated.run('dead-letters list');
    expect(none.stdout).toContain('No dead letters.');
  });

  it('resume also ends a pause that the loyalty service asked for', async () => {
    const ask = { why: 'throttled', seconds: 3_600 } as const;
    await changeControl(operated.ledger, SHOP, (control) =>
      withServicePause(control, ask, new Date()),
    );
    const status = await operated.run('status');
    expect(status.stdout.replace(/\s+/g, ' ')).toContain(
      'because the loyalty service asked for fewer calls',
    );
    expect((await operated.run('resume')).stdout).toContain(`Ended: ${SHOP}: paused since`);
    expect((await operated.run('resume')).stdout).toContain('Nothing was changed');
    expect((await operated.run('history')).stdout).toContain('resume: done');

    await operated.run('pause --yes');
    const other = JSON.parse((await operated.run('resume --queue orders --json')).stdout);
    expect(other.title).toContain(
      'orders of example-store.myshopify.com have no pause of their own',
    );
    expect(other.data).toMatchObject({ changed: false, pauses: [{ part: 'all' }] });
    await operated.run('resume');
  });

  it('resume is not well while the cause of a pause is there, and names the repair', async () => {
    operated.loyalty.faults.add({ kind: 'business-error', code: 76 });
    await placeOrder(operated);
    await operated.work();
    const doctor = await operated.run('doctor');
    expect(doctor.stdout).toContain(`npx loyalty-connector secrets set loyalty --shop ${SHOP}`);
    expect(doctor.stdout).not.toContain('npx loyalty-connector resume');
    const early = await operated.run('resume');
    expect(early.stdout).toContain('The pause has ended, but calls are still refused.');
    expect(early.stdout).toContain(`npx loyalty-connector secrets set loyalty --shop ${SHOP}`);
    expect(early.code).toBe(1);
    operated.loyalty.faults.clear();
    await operated.atWork(operated.run('retry-now'));
  });

  it('resume sends at once what would have waited for an hour', async () => {
    const before = orders();
    await leaveWaiting(operated, { why: 'shop-paused', pausedBy: 'operator' });
    await operated.run('pause --for 5h --yes');
    // Before the end of the pause it would only wait again.
    const { waiting } = JSON.parse((await operated.run('status --json')).stdout).data;
    const [{ nextTry }] = waiting.value;
    expect(Date.parse(nextTry)).toBeGreaterThan(Date.now() + 4 * 3_600_000);
    const { stdout } = await operated.run('resume');
    expect(stdout).toContain('Retrying 1 message now: orders 1.');
    await operated.work();
    expect(orders()).toBe(before + 1);
  });
});
