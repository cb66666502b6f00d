import { type ConnectorSettings, checkConnector } from '../../../shared/config/connector-config.ts';
import { checkBaseAddress } from '../../../shared/loyalty/client.ts';
import { adminAddress } from '../../../shared/shopify/admin/client/admin-client.ts';
import { expectLaw, type FuzzTarget } from '../fuzz-target.ts';
import { makeBody, toTree } from '../make-body.ts';

const VALID = toTree({
  shops: [
    {
      domain: 'example-store.myshopify.com',
      path: 'example-store',
      rules: { completeWhen: 'paid', document: { from: 'note-attribute', name: 'document' } },
    },
    { domain: 'second-store.myshopify.com' },
  ],
  loyalty: {
    address: 'https://loyalty.example.com/api',
    callsPerSecond: 2.5,
    assumptions: { ordersAreReplaced: true, refunds: 'resend' },
  },
  rules: {
    productUrl: 'https://{domain}/products/{handle}',
    couponKinds: ['percentage'],
    currency: 'EUR',
  },
  retryWindowDays: 4,
  orderRetentionDays: 400,
  healing: { deepEveryDays: 7 },
  alarms: { emails: ['operator@shop.example'] },
  deployment: {
    endpoint: { kind: 'http-api' },
    maxConcurrency: { orders: 10 },
    logRetentionDays: 30,
  },
  storefront: { customerIdIn: 'OriginalId', metafieldNamespace: 'loyalty' },
});

/** Anything that a merchant may write into connector.config.ts. */
export function createTarget(): FuzzTarget {
  return {
    make: (random) => ({ body: makeBody(VALID, random), parts: {} }),
    async run({ body }) {
      const given = parse(Buffer.from(body).toString('utf8'));
      const checked = checkConnector(given as ConnectorSettings);
      if (checked.kind === 'faulty') {
        expectLaw(checked.faults.length > 0, 'faulty settings have a fault');
        return 'faulty';
      }
      // Settings that pass the check must not be refused when the functions start.
      const { shops, loyalty } = checked.connector;
      checkBaseAddress(loyalty.address);
      for (const { domain, path } of shops) {
        expectLaw(
          new URL(adminAddress(domain)).hostname === domain,
          'a shop is asked at its domain',
        );
        expectLaw(/^[a-z0-9-]{1,63}$/.test(path), 'a path is one part of an address');
      }
      return 'valid';
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
