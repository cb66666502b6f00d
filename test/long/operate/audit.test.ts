import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { writeStateFile } from '../../../local/stack/state-file.ts';
import { recordBegin, recordEnd } from '../../../scripts/connector/ground/session/audit-records.ts';
import { LOG_LINES } from '../../../shared/core/events/telemetry.ts';
import {
  redemptionsKey,
  rememberRedemptions,
} from '../../../shared/rewards/redeem/redemption-record.ts';
import { redemptionAt } from '../../fixtures/redemption.ts';
import { askLoyalty } from '../../support/ask-loyalty.ts';
import { openWarmCommands, runCommand } from '../../support/connector-command.ts';
import { startLocalStack } from '../../support/local-stack.ts';
import { IS_NIGHT } from '../../support/night.ts';
import { SECRETS, SHOP, tellOf, useOperatedConnector } from '../../support/operated-connector.ts';
import { createProject } from '../../support/project.ts';

const connector = useOperatedConnector({ hasStorefront: true });

type Line = Readonly<Record<string, unknown>>;

async function audited(options = '') {
  const { stdout, stderr, code } = await connector.run(`audit --since 12h --json${options}`);
  if (!stdout) throw new Error(stderr);
  return { ...JSON.parse(stdout), code };
}

type Judged = { promise: string; broken: number; violations: { why: string; id: string }[] };

async function violations(options = ''): Promise<readonly string[]> {
  const { data } = await audited(options);
  return data.promises.flatMap(({ promise, violations }: Judged) =>
    violations.map(({ why, id }) => `${promise} ${why} ${id}`),
  );
}

/** What the audit finds after this, and not before. */
async function foundAfter(plant: () => Promise<unknown>): Promise<readonly string[]> {
  const before = await violations();
  const options = await plant();
  const after = await violations(typeof options === 'string' ? options : '');
  return after.filter((one) => !before.includes(one));
}

const logLines = (): Line[] => connector.output.lines().filter(({ at }) => typeof at === 'string');

/** The lines as a file, changed. */
function exported(lines: readonly Line[]): string {
  const file = join(connector.folder, `${randomUUID()}.log`);
  writeFileSync(file, lines.map((line) => `2026-11-19 stream ${JSON.stringify(line)}\n`).join(''));
  return ` --logs ${file}`;
}

/** A webhook of the store about an order, through the receiver. */
async function deliver(id: string, topic = 'orders/updated'): Promise<void> {
  const body = JSON.stringify({
    id: Number(id),
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
  });
  const signature = createHmac('sha256', SECRETS.webhook.current).update(body).digest('base64');
  const { status } = await fetch(`${connector.outputs.WebhookAddress}/example-store`, {
    method: 'POST',
    headers: {
      'x-shopify-topic': topic,
      'x-shopify-shop-domain': SHOP,
      'x-shopify-webhook-id': randomUUID(),
      'x-shopify-api-version': '2026-10',
      'x-shopify-hmac-sha256': signature,
    },
    body,
  });
  expect(status).toBe(200);
}

/** An order that was sent. */
async function sell(): Promise<string> {
  const { id } = connector.sell({ email: `${randomUUID()}@example.org` });
  await tellOf(connector, 'order', id);
  await connector.work();
  return id;
}

const isEndOf = (id: string) => (line: Line) => line.id === id && line.message === 'applied';
const moved = (line: Line, minutes: number): Line => ({
  ...line,
  at: new Date(Date.parse(String(line.at)) + minutes * 60_000).toISOString(),
});

describe('a clean day', () => {
  it('is clean, and everything of it was decided', async () => {
    const id = await sell();
    await deliver(id);
    await connector.work();
    const { code, verdict, data } = await audited();
    expect({ verdict, code }).toMatchObject({ verdict: { kind: 'ok' }, code: 0 });
    const cases = Object.fromEntries(
      data.promises.map(({ promise, cases }: { promise: string; cases: number }) => [
        promise,
        cases,
      ]),
    );
    expect(cases).toMatchObject({ 'every-webhook-ends': 1, 'sent-once': 1, 'sides-agree': 1 });
  });

  it('that nothing is known of is not clean', async () => {
    const { code, verdict } = await audited(' --until 11h --no-sides');
    expect({ kind: verdict.kind, code }).toEqual({ kind: 'unknown', code: 4 });
  });

  it('says what it cannot decide', async () => {
    await deliver(await sell());
    const { data, code } = await audited(' --no-sides');
    const [ends] = data.promises;
    expect(ends).toMatchObject({ broken: 0, notDecided: { 'on-its-way': 1 } });
    expect(data.promises.at(-1).notDecided).toEqual({ 'not-asked': 1 });
    expect(code).toBe(4);
    await connector.work();
  });
});

describe('a planted fault is found, with nothing beside it:', () => {
  it('an accepted webhook whose message vanished', async () => {
    const id = await sell();
    const found = await foundAfter(async () => {
      await deliver(id);
      await connector.sqs.purgeQueue({ QueueUrl: connector.queues.urls.orders.url });
    });
    expect(found).toEqual([`every-webhook-ends no-end ${id}`]);
  });

  it('a ledger that forgets what was sent', async () => {
    const id = await sell();
    const found = await foundAfter(async () => {
      const key = { shop: SHOP, kind: 'order', id } as const;
      const entry = [...(await connector.ledger.readMany([key])).values()][0];
      const { version = 0, revision } = entry ?? {};
      const empty = { version: version - 1, uncertain: false, outcomes: [] };
      await connector.ledger.write(key, empty, revision);
      await tellOf(connector, 'order', id);
      await connector.work();
    });
    expect(found).toEqual([`sent-once same-state-again ${id}`]);
  });

  it('a call although the service had asked for fewer', async () => {
    const id = await sell();
    const sent = logLines().find(isEndOf(id)) ?? {};
    const found = await foundAfter(async () => {
      const until = moved(sent, 5).at;
      const pause = { message: LOG_LINES.paused, shop: SHOP, why: 'throttled', until, of: 'all' };
      return exported([...logLines(), { ...pause, at: moved(sent, -2).at }]);
    });
    expect(found).toContain(`no-call-while-paused called-while-paused ${id}`);
  });

  it('a call although an operator had paused the shop', async () => {
    const found = await foundAfter(async () => {
      const began = new Date(Date.now() - 600_000);
      const line = { command: 'pause', arguments: { yes: 'true' }, version: '1.0.0' };
      const who = { arn: 'arn:aws:iam::000000000000:user/olivia', userId: 'AIDAOPERATOR' };
      const record = await recordBegin(connector.ledger, who, line, began);
      const end = { result: 'finished', counts: {} } as const;
      await recordEnd(connector.ledger, record, end, began);
      await sell();
    });
    expect(found).toContainEqual(
      expect.stringMatching(/^no-call-while-paused called-while-paused/),
    );
    expect(found.filter((one) => !one.startsWith('no-call-while-paused'))).toEqual([]);
    // From here on the pause is over.
    await connector.run('resume');
  });

  it('an order from before go-live that is sent as a new one', async () => {
    const id = await sell();
    const found = await foundAfter(async () => {
      const key = { shop: SHOP, kind: 'order', id } as const;
      const entry = [...(await connector.ledger.readMany([key])).values()][0];
      if (!entry?.service) throw new Error('the order was not sent');
      const { revision, ...kept } = entry;
      const service = { ...entry.service, placedAt: '2020-01-01T00:00:00Z' };
      await connector.ledger.write(key, { ...kept, service }, revision);
    });
    expect(found).toEqual([`nothing-before-go-live placed-before-go-live ${id}`]);
  });

  it.each([
    ['one click that was paid twice', 'one-click-two-redemptions', { clientKeys: ['a', 'b'] }],
    ['one code for two redemptions', 'one-code-two-redemptions', { code: 'SAME' }],
    ['a code that the store does not have', 'code-missing-in-store', {}],
  ])('%s', async (_, why, { clientKeys = [], code }: { clientKeys?: string[]; code?: string }) => {
    const customerId = randomUUID();
    const now = new Date().toISOString();
    const used = (index: number) =>
      ({ code: code ?? `CODE${index}`, kind: 'fixed', value: 5, startsAt: now }) as const;
    const isMissing = why === 'code-missing-in-store';
    const redemptions = [0, 1].map((index) =>
      redemptionAt(
        isMissing && index === 0
          ? { at: 'ready', code: used(index), discountId: '1', redeemedRewardId: index }
          : { at: 'used', code: used(index) },
        {
          ...{ id: `K3F9A2LQ7ZP${index}`, intendedAt: now, since: now },
          clientKeys: clientKeys.length > 0 ? [clientKeys[index] ?? '', 'shared'] : [],
        },
      ),
    );
    const found = await foundAfter(async () => {
      const remembered = rememberRedemptions({ redemptions, intents: [] });
      const entry = { version: 1, uncertain: false, remembered, outcomes: [] };
      await connector.ledger.write(redemptionsKey({ shop: SHOP, customerId }), entry, undefined);
    });
    expect(found).toEqual([`redeemed-once ${why} ${customerId}`]);
  });

  it('an order that somebody changed in the loyalty service', async () => {
    const id = await sell();
    const found = await foundAfter(async () => {
      const { Customer, ...order } = await askLoyalty(connector.loyalty, 'GET', `/Order/${id}`);
      const { OriginalId, Name, Email } = Customer ?? {};
      const given = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== null));
      const body = { ...given, Customer: { OriginalId, Name, Email }, OrderTotal: 75 };
      await askLoyalty(connector.loyalty, 'POST', '/POS/orders', body);
    });
    expect(found).toEqual([`sides-agree sides-differ ${id}`]);
  });
});

describe('a day of the local stack, with its permissions,', () => {
  it('is clean after an outage, a pause, refunds, codes and a cancellation', async () => {
    const stack = await startLocalStack({ settings: 'test/fixtures/long-live.config.ts' });
    const folder = createProject('audited-stack');
    const settings = resolve('test/fixtures/long-live.config.ts');
    writeStateFile(stack, { stage: 'prod', settings }, folder);
    const commands = openWarmCommands(folder);
    const run = (line: string) => commands.run(line.split(' '));
    const { actions, rows } = stack.store;
    const customerId = [...rows.customers.values()][0]?.id ?? '';
    const lines = [{ title: 'Gift', price: 10, quantity: 3 }];
    const place = () => actions.placeOrder({ customerId, lines, payment: 'paid' });
    try {
      const [kept, refunded, cancelled] = [place(), place(), place()];
      for (const { id } of [kept, refunded]) actions.fulfilOrder({ orderId: id });
      actions.createDiscount({ percentage: 10, codes: ['SUMMER10', 'SUMMER20'] });
      await stack.settled();
      const fault = stack.loyalty.faults.add({ kind: 'http-503', count: 2 });
      const [line] = refunded.lines;
      const returned = [{ lineId: line?.id ?? '', quantity: 1 }];
      actions.refundOrder({ orderId: refunded.id, lines: returned });
      actions.cancelOrder({ orderId: cancelled.id });
      await stack.settled();
      stack.loyalty.faults.clear(fault.id);
      await run('pause --yes');
      actions.fulfilOrder({ orderId: place().id });
      await run('resume');
      await stack.settled();
      const { stdout, stderr } = await run('audit --since 1h --json');
      const { data } = JSON.parse(stdout || stderr);
      const { 'no-call-while-paused': pauses, ...others } = Object.fromEntries(
        data.promises.map((one: Judged) => [one.promise, one]),
      );
      // It lasted some seconds.
      expect(pauses).toMatchObject({ cases: 1, broken: 0, notDecided: { 'pause-too-short': 1 } });
      for (const one of Object.values(others)) {
        expect(one).toMatchObject({ broken: 0, notDecided: {} });
      }
      for (const name of ['every-webhook-ends', 'sent-once', 'no-early-retry', 'sides-agree']) {
        expect(others[name].cases, name).toBeGreaterThan(1);
      }
    } finally {
      commands.stop();
      await stack.stop();
      await rm(folder, { recursive: true });
    }
  });
});

describe('a million lines', () => {
  it.runIf(IS_NIGHT)(
    'are judged in less than five minutes and 500 MB',
    async () => {
      const file = join(connector.folder, 'million.log');
      const stream = createWriteStream(file);
      const deliveries = 500_000;
      const beginsAt = Date.now() - 2.5 * 3_600_000;
      for (let index = 0; index < deliveries; index += 1) {
        const about = {
          ...{ correlationId: `delivery-${index}`, shop: SHOP, kind: 'order' },
          ...{ id: `55123${index % 100_000}`, topic: 'orders/updated', service: 'sync-orders' },
        };
        const at = (ms: number) => new Date(beginsAt + index * 10 + ms).toISOString();
        const sent = {
          message: 'applied',
          calls: 'sendOrder',
          state: `${index}`.padStart(16, '0'),
        };
        const text = `${JSON.stringify({ level: 'info', message: 'received', at: at(0), ...about })}\n${JSON.stringify({ level: 'info', at: at(900), ...sent, ...about })}\n`;
        if (!stream.write(text)) await once(stream, 'drain');
      }
      stream.end();
      await finished(stream);
      const memoryReport = fileURLToPath(
        new URL('../../support/report-memory.ts', import.meta.url),
      );
      const line = `audit --since 3h --no-sides --json --logs ${file}`;
      const began = performance.now();
      const { stdout, stderr } = await runCommand(line.split(' '), {
        folder: connector.folder,
        nodeOptions: ['--import', memoryReport],
      });
      const seconds = (performance.now() - began) / 1_000;
      const { data } = JSON.parse(stdout);
      expect(data.lines).toBe(2 * deliveries);
      expect(data.promises[0]).toMatchObject({ cases: deliveries, broken: 0, notDecided: {} });
      const [, kib] = /max rss (\d+) KiB\n$/.exec(stderr) ?? [];
      expect(Number(kib) / 1024).toBeLessThan(500);
      expect(seconds).toBeLessThan(300);
    },
    900_000,
  );
});
