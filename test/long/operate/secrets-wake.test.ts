import { expect, it } from 'vitest';
import { placeOrder, SECRETS, useOperatedConnector } from '../../support/operated-connector.ts';

const operated = useOperatedConnector();

/** Its messages waited for up to half an hour, and the worker kept the refused credentials for five minutes. */
it('secrets set sends within seconds what waited for the credentials', async () => {
  await operated.keepSecret('loyalty', JSON.stringify({ token: 'revoked-1', key: 'revoked-2' }));
  await placeOrder(operated);
  await operated.work();
  const orders = () => operated.loyalty.state().orders.length;
  expect(orders()).toBe(0);

  const set = await operated.run('secrets set loyalty', JSON.stringify(SECRETS.loyalty));
  expect(set.stdout).toContain('The loyalty service accepts the credentials.');
  expect(set.stdout).toContain('1 message is tried again in 6 seconds: orders 1.');
  const sent = async () => {
    await operated.work();
    return orders();
  };
  await expect.poll(sent, { timeout: 120_000, interval: 500 }).toBe(1);
});
