import { afterEach, describe, expect, it } from 'vitest';
import { line, lineText } from '../../../scripts/connector/document/line.ts';
import type { StoreEvent } from '../../../shared/core/events/event.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import { letterEvent, letterReason, parkLetters } from '../../support/parked-letters.ts';
import { runSuggested } from '../../support/suggested-command.ts';

const connector = useOperatedConnector();

afterEach(() => connector.run('dead-letters drop --since 2000-01-01 --because test --yes'));

let parked = 0;

async function park(
  event: StoreEvent | string,
  changes: Parameters<typeof letterReason>[0] = {},
): Promise<void> {
  parked += 1;
  const reason = letterReason({ at: new Date().toISOString(), ...changes });
  const letter = { event, reason, group: `letter-${parked}` };
  const { deadLetterUrl } = connector.queues.urls.orders;
  await parkLetters(connector.sqs, deadLetterUrl, [letter], {
    ...{ ledger: connector.ledger, family: 'orders' },
  });
}

const unreadable = { reason: 'unreadable', why: 'the body is not JSON' } as const;
const broken = new TextEncoder().encode('{"id":');

describe('every command that is suggested can be run as it stands', () => {
  it('for dead letters that only the store can make readable, and no more than was listed', async () => {
    await park(letterEvent({ id: '5512300000001', body: broken }), unreadable);
    const listed = await connector.run(`dead-letters list --shop ${SHOP}`);
    const [replayed, dropped, shown] = await runSuggested(listed, connector);
    expect(replayed?.line).toContain(`--shop ${SHOP} --reason unreadable`);
    expect(replayed?.stdout).toContain('Would send 1 of 1 matching dead letter again');
    expect(dropped?.stdout).toContain('Would drop 1 dead letter');
    expect(dropped?.stdout).toContain('reconcile sends that');
    expect(shown?.stdout).toContain('order 5512300000001');
    expect(shown?.stdout).toContain('Its body cannot be used, so the store is asked instead.');
  });

  it('for an id that begins with hyphens', async () => {
    await park(letterEvent({ kind: 'coupon', id: '--NEW10', topic: 'discounts/update' }));
    const runs = await runSuggested(await connector.run('dead-letters list'), connector);
    expect(runs.at(-1)?.stdout).toContain(`coupon --NEW10 of ${SHOP}`);
  });

  it('for an order that the loyalty service lost, or whose message waits, or that may be meant', async () => {
    const { actions } = connector.store;
    const { id: customerId } = actions.createCustomer({
      firstName: 'Kim',
      email: 'kim@example.org',
    });
    const lines = [{ title: 'Linen shirt', price: 60 }];
    const place = () => {
      const order = actions.placeOrder({ lines, customerId, payment: 'paid' });
      actions.fulfilOrder({ orderId: order.id });
      return order;
    };
    const { id, number } = place();
    await connector.run(`resend order ${id} --yes`);
    await connector.work();
    const lost = { operation: 'getOrder', kind: 'business-error', code: 37 } as const;
    connector.loyalty.faults.add(lost);
    const absent = await connector.run(`trace order ${id}`);
    connector.loyalty.faults.clear();
    const [again] = await runSuggested(absent, connector);
    expect(again?.line).toContain(`resend order ${id} --shop ${SHOP} --force`);
    expect(again?.stdout).toContain('It would be sent');

    actions.createDiscount({ percentage: 20, codes: [`${number}`] });
    const hits = await connector.run(`trace ${number}`);
    expect(await runSuggested(hits, connector)).toHaveLength(2);

    connector.loyalty.faults.add({ kind: 'http-503', retryAfterSeconds: 600 });
    const later = place();
    await connector.run(`resend order ${later.id} --yes`);
    await connector.work();
    connector.loyalty.faults.clear();
    const waits = await connector.run(`trace order ${later.id}`);
    const [woken] = await connector.atWork(runSuggested(waits, connector));
    expect(woken?.line).toContain('retry-now');
    expect(woken?.stdout).toContain('1 sent.');
  });

  it('where there is no such dead letter', async () => {
    const missing = await connector.run('dead-letters show 4711');
    const [listed] = await runSuggested(missing, connector);
    expect(listed?.stdout).toContain('No dead letters');
  });
});

it('puts an operand with a hyphen behind the options that name the deployment', () => {
  const place = { where: 'aws', stack: 'prod', region: 'eu-west-1', profile: 'shop' } as const;
  const options = '--stack prod --region eu-west-1 --profile shop';
  expect(lineText(line('trace', ['coupon', '--NEW 10']), place)).toBe(
    `npx loyalty-connector trace ${options} -- coupon '--NEW 10'`,
  );
  expect(lineText(line('trace', ['coupon', 'NEW10']), place)).toBe(
    `npx loyalty-connector trace coupon NEW10 ${options}`,
  );
});

it('shows what would be sent of a customer, without naming them', async () => {
  connector.confidential.addPersonal({ customer: { email: 'oriane@example.org' } });
  const { id } = connector.store.actions.createCustomer({ email: 'oriane@example.org' });
  await park(letterEvent({ kind: 'member', id, topic: 'customers/update' }));
  const { stdout } = await connector.run(`dead-letters show ${id}`);
  expect(stdout).toContain('If it were sent now');
  expect(stdout).not.toContain('neither about an entity nor a task');
});

it('shows the newest of the dead letters about one thing, and where the others are', async () => {
  for (const deliveryId of ['one', 'two', 'three']) {
    await park(letterEvent({ id: '5512300000002', deliveryId }));
  }
  await park(letterEvent({ id: '5512300000002', deliveryId: 'four' }), unreadable);
  const shown = await connector.run('dead-letters show 5512300000002');
  const runs = await runSuggested(shown, connector);
  const all = runs.find(({ line }) => line.includes('list --id 5512300000002'));
  expect(all?.stdout).toContain('4 dead letters wait for a decision.');
});
