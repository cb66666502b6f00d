import { describe, expect, it } from 'vitest';
import { SECRETS, SHOP, tellOf, useOperatedConnector } from '../../support/operated-connector.ts';

const connector = useOperatedConnector();

const figure = (name: string, value: number) => ({
  ...{ name, value, at: Date.now(), dimensions: {} },
});

describe('loyalty-connector status', () => {
  it('says at the top what is wrong and which command to run next', async () => {
    await connector.keepSecret('loyalty', 'a text that somebody stored by hand');
    const { code, stdout, stderr } = await connector.run('status');
    await connector.keepSecret('loyalty', JSON.stringify(SECRETS.loyalty));
    expect(stderr).toBe('');
    const [place, , verdict, , , first, , next] = stdout.split('\n');
    expect(place).toMatch(/^loyalty-connector-prod \d+\.\d+\.\d+\S* on this machine$/);
    expect(verdict).toBe('ACTION REQUIRED');
    expect(first).toMatch(/^FAIL {2}secrets +the loyalty secret is not a JSON object$/);
    expect(next?.trim()).toBe(`npx loyalty-connector secrets set loyalty --shop ${SHOP}`);
    expect(stdout).toContain(`npx loyalty-connector webhooks sync --shop ${SHOP}`);
    expect(code).toBe(1);
  });

  it('shows the queues, the last hour and the notices, as text and as JSON', async () => {
    connector.metrics.push(
      figure('received', 12),
      figure('applied', 9),
      figure('latency-ms', 1_250),
    );
    await connector.ledger.write(
      { shop: SHOP, kind: 'notice', id: 'data-request/4411' },
      {
        version: 1,
        uncertain: false,
        outcomes: [
          {
            at: '2026-11-02T10:00:00.000Z',
            outcome: 'data-request',
            version: 1,
            topic: 'customers/data_request',
            why: 'customer 7001 asks for their data: answer within 15 days',
          },
        ],
      },
      undefined,
    );
    await tellOf(connector, 'product', '99');
    const { stdout } = await connector.run('status');
    expect(stdout).toMatch(/^products +1 +0 +0$/m);
    expect(stdout).toMatch(/^orders +0 +0 +0$/m);
    expect(stdout).toMatch(/^End to end +half within 1\.3 s, 99 % within 1\.3 s$/m);
    expect(stdout).toMatch(/^Last hour +12 events received, \d+ results: 9 applied, 0 no change/m);
    expect(stdout).toContain('webhook, loyalty, store are set');
    expect(stdout.replace(/\s+/g, ' ')).toContain('answer within 15 days (4411)');

    const document = JSON.parse((await connector.run('status --json')).stdout);
    expect(document).toMatchObject({
      verdict: { kind: 'action required' },
      freshSeconds: 5,
      data: {
        ...{ stack: 'loyalty-connector-prod', where: 'local' },
        queues: { kind: 'known', value: [{}, { family: 'products', waiting: 1 }, {}] },
      },
    });
  });

  it('has the last hour and the last day with --charts, for a page and for programs', async () => {
    const { stdout } = await connector.run('status --charts');
    expect(stdout).not.toContain('Messages');
    const { data, blocks } = JSON.parse((await connector.run('status --charts --json')).stdout);
    expect(blocks.filter(({ kind }: { kind: string }) => kind === 'chart')).toHaveLength(4);
    const { lastHour, lastDay } = data;
    expect(lastHour.value.chart.received).toHaveLength(60);
    expect(Math.max(...lastHour.value.chart.p99)).toBe(1_250);
    expect(lastDay.value.received).toHaveLength(96);
  });

  it('says what it could not find out instead of guessing it', async () => {
    await connector.describe({ metricsAddress: 'http://127.0.0.1:9' });
    const { stdout } = await connector.run('status');
    await connector.describe();
    expect(stdout).toMatch(/^warn {2}the last hour +unknown: could not be read: /m);
    expect(stdout).toMatch(/^Last hour +unknown$/m);
  });

  it('says in plain words that nothing runs where it looks', async () => {
    await connector.describe({ pid: 2 ** 22 + 1 });
    const { code, stdout, stderr } = await connector.run('status');
    await connector.describe();
    expect(stdout).toBe('');
    expect(stderr).toContain('npm start');
    expect(code).toBe(1);
  });
});
