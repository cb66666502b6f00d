import { beforeAll, describe, expect, it } from 'vitest';
import { placeOrder, SHOP, useOperatedConnector } from '../../support/operated-connector.ts';

const operated = useOperatedConnector();

beforeAll(async () => {
  await operated.run('webhooks sync --yes');
});

async function statusNow() {
  const { code, stdout } = await operated.run('status');
  return { code, state: stdout.split('\n')[2], text: stdout.replace(/\s+/g, ' ') };
}

describe('loyalty-connector status', () => {
  it('is well, then waiting while the service is down, then well again once all was sent', async () => {
    expect(await statusNow()).toMatchObject({ state: 'WELL', code: 0 });

    operated.loyalty.faults.add({ kind: 'http-503', retryAfterSeconds: 600 });
    await placeOrder(operated);
    await placeOrder(operated);
    await operated.work();
    const during = await statusNow();
    expect(during).toMatchObject({ state: 'WAITS', code: 3 });
    expect(during.text).toMatch(
      /what waits \d+ messages wait for the loyalty service since [\d:-]+( [\d:]+)? UTC \([\w, -]+\), next try in \d+ (?:s|min)/,
    );
    const document = JSON.parse((await operated.run('status --json')).stdout);
    expect(document.verdict.kind).toBe('waits');
    expect(JSON.stringify(document)).not.toContain('receiptHandle');

    operated.loyalty.faults.clear();
    const { code, stdout } = await operated.atWork(operated.run('retry-now'));
    expect(stdout).toMatch(/^ {2}All went through: \d delivered\.$/m);
    expect(code).toBe(0);
    expect(await statusNow()).toMatchObject({ state: 'WELL', code: 0 });
  });

  it('needs a person while credentials are refused, with the command to run', async () => {
    operated.loyalty.faults.add({ kind: 'business-error', code: 76 });
    await placeOrder(operated);
    await operated.work();
    const refused = await statusNow();
    expect(refused).toMatchObject({ state: 'ACTION REQUIRED', code: 1 });
    expect(refused.text).toContain('because credentials, scopes or an address are refused');
    operated.loyalty.faults.clear();
    expect((await operated.atWork(operated.run(`retry-now --shop ${SHOP}`))).code).toBe(0);
    expect(await statusNow()).toMatchObject({ state: 'WELL', code: 0 });
  });
});
