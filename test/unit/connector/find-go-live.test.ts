import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Deployment } from '../../../scripts/connector/deployment/deployment.ts';
import { findGoLive } from '../../../scripts/connector/recover/find-go-live.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';

const [SECRET_MADE, BEGAN, TABLE_MADE] = [1_000_000, 2_000_000, 3_000_000];

/** Secrets Manager, which says when the secret was made. */
const secrets = createServer((_, response) => {
  response.setHeader('content-type', 'application/x-amz-json-1.1');
  response.end(JSON.stringify({ CreatedDate: SECRET_MADE / 1_000 }));
});
beforeAll(() => new Promise<void>((done) => secrets.listen(0, '127.0.0.1', done)));
afterAll(() => secrets.close());

function found(recorded: number | undefined, given?: number) {
  const { port } = secrets.address() as AddressInfo;
  const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
  const aws = { endpoint: `http://127.0.0.1:${port}`, region: 'eu-west-1', credentials };
  const deployment = { aws, output: () => 'prefix' } as unknown as Deployment;
  const shop = { domain: 'one.myshopify.com', path: 'one', rules: {} } as unknown as Shop;
  const control = { operator: {}, past: [], ...(recorded !== undefined && { goLive: recorded }) };
  const ledger = { createdAt: async () => TABLE_MADE };
  return findGoLive(deployment, shop, given, control, ledger);
}

describe('go-live of a ledger that is recovered', () => {
  it('is what it says since an earlier table, although the secrets are older than the program', async () => {
    expect(await found(BEGAN)).toEqual({ at: BEGAN, from: 'the ledger' });
  });

  it.each([undefined, TABLE_MADE])(
    'is the date of the secrets where it was set anew with the table (%s)',
    async (recorded) => {
      expect((await found(recorded)).at).toBe(SECRET_MADE);
    },
  );

  it('is what the operator says', async () => {
    expect(await found(BEGAN, 5)).toEqual({ at: 5, from: '--go-live' });
  });
});
