import { beforeAll, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../support/connector-command.ts';
import { useOperatedConnector } from '../../support/operated-connector.ts';

const PATIENCE = { timeout: 240_000 };
const ORDERS = 25;

/** All orders of the sandbox are older. */
const operated = useOperatedConnector({ rules: { goLive: '2100-01-01' } });
beforeAll(async () => {
  const { actions } = operated.store;
  for (let n = 0; n < ORDERS; n += 1) {
    actions.fulfilOrder({ orderId: actions.placeRandomOrder().id });
  }
});
const PAGE = 7;
/** Ends the command within its second page. At two a second, the last one is far away. */
function interruptInSecondPage(line: string) {
  let isStarted = false;
  return runCommand(`${line} --rate 2 --yes`.split(' '), {
    folder: operated.folder,
    onOutput: async (output, child) => {
      if (isStarted || !output.includes('Starting the backfill')) return;
      isStarted = true;
      const isSent = async () => expect(await operated.queues.waiting()).toBeGreaterThan(PAGE);
      await vi.waitFor(isSent, { timeout: 120_000 });
      child.kill('SIGINT');
    },
  });
}

const sentOrders = () => operated.loyalty.journal.entries({ operation: 'sendOrder' });

describe('backfill orders', PATIENCE, () => {
  it('only estimates without --yes', async () => {
    const { code, stdout } = await operated.run('backfill orders --since 2d --rate 5');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Found +${ORDERS} orders\nCreated +from`, 'm'));
    expect(stdout).toContain('about 5 s at 5/s');
    expect(stdout).toContain('Nothing is done before you agree.');
    expect(await operated.queues.waiting()).toBe(0);
    const json = JSON.parse((await operated.run('backfill orders --since 2d --json')).stdout);
    expect(json.data).toMatchObject({ dryRun: true, count: ORDERS });
  });

  it('can be stopped with Ctrl-C, goes on by the same command, and sends nothing twice', async () => {
    const first = await interruptInSecondPage('backfill orders --since 2d');
    expect(first.code).toBe(130);
    expect(first.stdout).toMatch(
      /Stopped after \d+ of 25\. .*npx loyalty-connector backfill orders --shop /s,
    );

    const { data } = JSON.parse((await operated.run('backfill status --json')).stdout);
    expect(data.backfills).toHaveLength(1);
    const { sent: before } = data.backfills[0];
    expect(before).toBeLessThan(ORDERS);

    const left = await operated.run('backfill orders --since 2d --rate 1');
    expect(left.stdout).toContain(`about ${ORDERS - before} s at 1/s`);
    const anew = await operated.run('backfill orders --since 2d --rate 1 --again');
    expect(anew.stdout).toContain(`about ${ORDERS} s at 1/s`);

    const second = await operated.run('backfill orders --since 2d --rate 4 --yes');
    expect(second.stderr).toMatch(
      new RegExp(`sent orders of those left: \\d+ of ${ORDERS - before} `),
    );
    expect(second.stderr).toContain('Resuming the backfill of orders');
    expect(second.code).toBe(0);
    expect(second.stdout).toContain(`${ORDERS} orders are on the queue`);
    expect(await operated.queues.waiting()).toBe(ORDERS);

    await operated.work();
    expect(await operated.queues.deadLetters()).toEqual([]);
    const sent = sentOrders().map(({ body }) => body as { OriginalId?: string });
    expect(new Set(sent.map(({ OriginalId }) => OriginalId)).size).toBe(sent.length);
    const orders = operated.loyalty.state().orders;
    const withCustomer = [...operated.store.rows.orders.values()].filter(
      (one) => one.customerId && !one.test,
    );
    expect(orders).toHaveLength(withCustomer.length);
    for (const { Metadatas } of orders) {
      expect(Metadatas).toContainEqual(expect.objectContaining({ Name: 'history', Value: 'true' }));
    }
  });

  it('says that it was done, and sends again only with --again', async () => {
    const before = sentOrders().length;
    const done = await operated.run('backfill orders --since 2d --yes');
    expect(done.stdout).toMatch(/Nothing was sent: this backfill finished .*25 sent/);
    const again = await operated.run('backfill orders --since 2d --yes --again --rate 1000');
    expect(again.stdout).toContain('25 orders are on the queue');
    // Within minutes of the first ones, which SQS would take them for.
    expect(await operated.queues.waiting()).toBe(ORDERS);
    await operated.work();
    expect(sentOrders()).toHaveLength(before);
  });
});

describe('backfill products and discounts', PATIENCE, () => {
  it('send everything that the store has', async () => {
    const products = await operated.run('backfill products --yes --rate 1000');
    expect(products.stdout).toContain(`${operated.store.rows.products.size} products are`);
    const discounts = await operated.run('backfill discounts --yes --rate 1000');
    expect(discounts.stdout).toContain(`${operated.store.rows.codes.size} codes are`);
    await operated.work();
    expect(await operated.queues.deadLetters()).toEqual([]);
    expect(operated.loyalty.state().products).toHaveLength(operated.store.rows.products.size);
    const table = await operated.run('backfill status');
    expect(table.stdout).toMatch(/products +example-store\.myshopify\.com +finished/);
  });
});
