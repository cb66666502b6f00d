import { afterAll, beforeAll, expect } from 'vitest';
import { type ExtensionWorld, openExtensions } from '../../support/extension-world.ts';
import { runConnectors } from '../../support/running-connector.ts';
import type { Asked } from '../../support/running-storefront.ts';

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** For the tests of one file: Robin with 250 points, Sasha with 7,777, and what a refusal must be. */
export function openTokenTests() {
  const connectors = runConnectors({ posCustomerId: 'email-or-document' });
  const opened = { robin: '', sasha: '' } as {
    robin: string;
    sasha: string;
    world: ExtensionWorld;
  };
  beforeAll(async () => {
    opened.world = await openExtensions(connectors, { readsPerMinute: 1_000 });
    opened.robin = await opened.world.shopper('Robin', 250);
    opened.sasha = await opened.world.shopper('Sasha', 7_777);
  });
  afterAll(() => opened.world.stop());

  /** The answer to a request without any proof. */
  const refusal = () => opened.world.one.send('example-store/account/view');

  return {
    opened,
    refusal,

    async expectRefused(path: string, asked: Asked): Promise<void> {
      const expected = await refusal();
      expect(expected).toMatchObject({ status: 401, json: { error: { code: 'bad-token' } } });
      expect(expected.headers['access-control-allow-origin']).toBe('*');
      expect(await opened.world.one.send(path, asked)).toEqual(expected);
    },

    /** Nothing was asked of the service, and nothing moved. */
    async expectUntouched(work: () => Promise<unknown>): Promise<void> {
      const { connector } = opened.world;
      connector.newCalls();
      const ledger = await connector.ledgerText();
      await work();
      expect(connector.newOperations()).toEqual([]);
      expect(await connector.ledgerText()).toBe(ledger);
    },
  };
}
