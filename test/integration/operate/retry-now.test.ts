import { describe, expect, it } from 'vitest';
import {
  leaveWaiting,
  placeOrder,
  SHOP,
  useOperatedConnector,
} from '../../support/operated-connector.ts';

const operated = useOperatedConnector();
const orders = () => operated.loyalty.state().orders.length;
const pastRun = async () => (await operated.run('history')).stdout.replace(/\s+/g, ' ');

describe('loyalty-connector retry-now', () => {
  it('says that nothing waits', async () => {
    const { code, stdout } = await operated.run('retry-now');
    expect(stdout).toBe('Nothing to retry: no message is waiting\n');
    expect(code).toBe(0);
  });

  it('sends at once what waited for half an hour for a refused account', async () => {
    operated.loyalty.faults.add({ kind: 'business-error', code: 76 });
    await placeOrder(operated);
    await placeOrder(operated);
    await operated.work();
    operated.loyalty.faults.clear();
    await operated.work();
    expect(orders()).toBe(0);

    const { code, stdout } = await operated.atWork(operated.run(`retry-now --shop ${SHOP}`));
    expect(stdout).toContain('\nOK\n  Done: 2 delivered.\n');
    expect(stdout).not.toContain('Retrying');
    expect(code).toBe(0);
    expect(orders()).toBe(2);
    expect(await pastRun()).toMatch(/retry-now/);

    // The records of the waits are still there, and say how they ended.
    const nothing = await operated.run('retry-now');
    expect(nothing.stdout).toBe('Nothing to retry: no message is waiting\n');
  });

  it('says what waits again, and what became a dead letter', async () => {
    operated.loyalty.faults.add({ kind: 'business-error', code: 76 });
    await placeOrder(operated);
    await operated.work();
    const refused = await operated.atWork(operated.run('retry-now'));
    expect(refused.stdout.replace(/\s+/g, ' ')).toMatch(
      /1 not finished\. Waiting because credentials, scopes or an address were refused.*; next attempt at/,
    );
    expect(refused.stdout).not.toContain('dead-letters list');
    expect(refused.stdout).toContain('npx loyalty-connector status');
    expect(refused.code).toBe(3);

    operated.loyalty.faults.clear();
    operated.loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 30 });
    const parked = await operated.atWork(operated.run('retry-now --json'));
    expect(parked.stdout).toContain('npx loyalty-connector dead-letters list');
    expect(JSON.parse(parked.stdout).data).toEqual({
      ...{ sent: 1, outcomes: { failing: 1 } },
    });
    expect(parked.code).toBe(1);
    operated.loyalty.faults.clear();
  });

  it('does not end as if all were sent while a pause of the shop holds them', async () => {
    operated.loyalty.faults.add({ kind: 'business-error', code: 76 });
    await placeOrder(operated);
    await operated.work();
    operated.loyalty.faults.clear();
    expect((await operated.run('pause --yes')).code).toBe(0);
    const { code, stdout, stderr } = await operated.run('retry-now');
    expect(stdout).toContain('all calls paused since');
    expect(await pastRun()).toContain(
      'retry-now: done; some were not finished by then, 1 held by a pause',
    );
    expect(stderr).not.toContain('tried again');
    expect(code).toBe(3);
    await operated.run('resume');
    await operated.work();
  });

  it('sends what a pause of another queue does not hold, and does not know the end of what is gone', async () => {
    operated.loyalty.faults.add({ kind: 'business-error', code: 76 });
    await placeOrder(operated);
    await operated.work();
    operated.loyalty.faults.clear();
    await operated.run('pause --queue products --yes');
    const sent = await operated.atWork(operated.run('retry-now'));
    expect(sent.stdout).toContain('1 delivered.');
    await operated.run('resume');

    await leaveWaiting(operated, { why: 'loyalty-unavailable' });
    await operated.sqs.purgeQueue({ QueueUrl: operated.queues.urls.orders.url });
    const gone = await operated.run('retry-now');
    expect(gone.stdout.replace(/\s+/g, ' ')).toContain('UNKNOWN 1 received or finished meanwhile');
    expect(gone.stdout).toContain('npx loyalty-connector status');
    expect(gone.code).toBe(4);
  });

  it('leaves alone what waits for its next step, and status says nothing of it', async () => {
    await leaveWaiting(operated, { why: 'redemption-in-progress', afterSeconds: 30 });
    const { code, stdout } = await operated.run('retry-now --wait 0');
    expect([code, stdout]).toEqual([0, expect.stringContaining('no message is waiting')]);
    const status = await operated.run('status');
    expect(status.stdout).not.toMatch(/retry-now|message waits/);
  });

  it('tries what had a call without an answer no earlier than 30 seconds after it, and says so', async () => {
    // Begun an hour ahead, so that the 30 seconds are not over on any machine.
    const begins = new Date(Date.now() + 3_600_000);
    await leaveWaiting(operated, { why: 'loyalty-unavailable', mayHaveHappened: true }, begins);
    const { code, stdout } = await operated.run('retry-now --wait 0');
    expect(stdout).toContain('1 not finished.');
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /Retrying 1 message by [\d:]{8} UTC: orders 1\. Until then, an earlier call may still be under way/,
    );
    expect(code).toBe(3);
  });
});
