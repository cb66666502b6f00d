import { afterEach, describe, expect, it } from 'vitest';
import {
  type StoreSandbox,
  type StoreSandboxOptions,
  startStoreSandbox,
} from '../../../local/store-sandbox/sandbox.ts';
import { askAdmin } from '../../support/ask-admin.ts';

let sandbox: StoreSandbox;
let time = new Date();
async function start(options: StoreSandboxOptions = {}): Promise<void> {
  time = new Date('2026-10-05T09:00:00Z');
  sandbox = await startStoreSandbox({ now: () => time, ...options });
}
afterEach(() => sandbox.stop());

const later = (seconds: number) => {
  time = new Date(time.getTime() + seconds * 1000);
};
const shopName = '{ shop { name } }';

describe('the cost of a query', () => {
  const products = '{ products(first: 100) { nodes { id media(first: 10) { nodes { id } } } } }';

  it('is reported as requested and as actual cost, and only the actual cost is charged', async () => {
    await start();
    const { cost } = await askAdmin(sandbox, products);
    expect(cost?.actualQueryCost).toBeLessThan(cost?.requestedQueryCost ?? 0);
    expect(cost?.throttleStatus).toEqual({
      maximumAvailable: 2_000,
      currentlyAvailable: 2_000 - (cost?.actualQueryCost ?? 0),
      restoreRate: 100,
    });
  });

  it('is throttled when the bucket has too little, and accepted after it has refilled', async () => {
    await start();
    const { cost: first } = await askAdmin(sandbox, products);
    sandbox.bucket.empty(time.getTime());
    const refused = await askAdmin(sandbox, products);
    expect(refused).toMatchObject({
      status: 200,
      data: undefined,
      errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
      cost: { actualQueryCost: null, throttleStatus: { currentlyAvailable: 0 } },
    });
    later((first?.requestedQueryCost ?? 0) / 100);
    expect((await askAdmin(sandbox, products)).data.products.nodes.length).toBeGreaterThan(0);
  });

  it('may not exceed a thousand points at once', async () => {
    await start({ settings: { connectionCost: 'sized' } });
    const { errors, data } = await askAdmin(sandbox, products);
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([{ extensions: { code: 'MAX_COST_EXCEEDED' } }]);
  });
});

describe('access tokens', () => {
  const grant = (
    body: unknown,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) =>
    fetch(`${sandbox.address}/admin/oauth/access_token`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const credentials = {
    client_id: 'sandbox-client',
    client_secret: 'sandbox-secret',
    grant_type: 'client_credentials',
  };

  it('come from the client-credentials grant, as JSON or a form, and expire', async () => {
    await start({ settings: { tokenSeconds: 60 } });
    const form = new URLSearchParams(credentials).toString();
    const isForm = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const ask of [() => grant(credentials), () => grant(form, isForm)]) {
      const response = await ask();
      const { access_token, expires_in, scope } = (await response.json()) as Record<string, string>;
      expect(expires_in).toBe(60);
      expect(scope).toContain('read_orders');
      expect((await askAdmin(sandbox, shopName, {}, access_token)).data.shop.name).toBe(
        'Sandbox Store',
      );
      later(61);
      expect((await askAdmin(sandbox, shopName, {}, access_token)).status).toBe(401);
    }
  });
});

describe('simulated faults', () => {
  it.each([
    [{ kind: 'http-429', retryAfterSeconds: 3 }, { status: 429 }],
    [{ kind: 'http-500' }, { status: 500 }],
    [{ kind: 'http-503' }, { status: 503 }],
    [{ kind: 'unauthorized' }, { status: 401 }],
    [{ kind: 'throttled' }, { status: 200, errors: [{ extensions: { code: 'THROTTLED' } }] }],
    [
      { kind: 'internal-error' },
      { status: 200, errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
    ],
    [
      { kind: 'partial' },
      {
        status: 200,
        data: { shop: { name: 'Sandbox Store' } },
        errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
      },
    ],
  ] as const)('%o meets one call of its operation and is over', async (rule, expected) => {
    await start();
    sandbox.faults.add({ ...rule, operation: 'Named', count: 1 });
    expect(await askAdmin(sandbox, shopName)).toMatchObject({ status: 200, errors: undefined });
    expect(await askAdmin(sandbox, `query Named ${shopName}`)).toMatchObject(expected);
    expect(sandbox.journal.entries({ operation: 'Named' })).toMatchObject([{ fault: rule.kind }]);
    expect(await askAdmin(sandbox, `query Named ${shopName}`)).toMatchObject({
      status: 200,
      errors: undefined,
    });
  });
});

describe('discounts', () => {
  const byCode = `query($code: String!) { codeDiscountNodeByCode(code: $code) { id codeDiscount { __typename
    ... on DiscountCodeBasic { status endsAt usageLimit context { __typename ... on DiscountCustomers { customers { id } } } customerGets { value { __typename ... on DiscountPercentage { percentage } ... on DiscountAmount { amount { amount } } } } codes(first: 5) { nodes { code asyncUsageCount } } } } } }`;

  it('expire and start by the clock', async () => {
    await start();
    const at = (seconds: number) => new Date(time.getTime() + seconds * 1000).toISOString();
    sandbox.actions.createDiscount({
      codes: ['SOON'],
      percentage: 5,
      startsAt: at(60),
      endsAt: at(120),
    });
    const status = async () =>
      (await askAdmin(sandbox, byCode, { code: 'SOON' })).data.codeDiscountNodeByCode.codeDiscount
        .status;
    expect(await status()).toBe('SCHEDULED');
    expect(() =>
      sandbox.actions.placeOrder({
        lines: [{ title: 'x', price: 1 }],
        discounts: [{ code: 'SOON' }],
      }),
    ).toThrow('The code SOON is not valid yet.');
    later(60);
    expect(await status()).toBe('ACTIVE');
    sandbox.advanceClock(60);
    expect(await status()).toBe('EXPIRED');
  });
});

describe('what the sandbox does not have', () => {
  it('is said by name instead of answered with nothing', async () => {
    await start();
    sandbox.actions.placeRandomOrder();
    const { data, errors } = await askAdmin(
      sandbox,
      '{ orders(first: 1) { nodes { id risk { recommendation } } } }',
    );
    expect(data).toBeNull();
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('Order.risk'),
      extensions: { code: 'NOT_IN_SANDBOX' },
    });
    const root = await askAdmin(sandbox, '{ collections(first: 1) { nodes { id } } }');
    expect(root.errors?.[0]?.message).toContain('QueryRoot.collections');
  });

  it('is refused where the real schema does not have it either', async () => {
    await start();
    const { data, errors } = await askAdmin(sandbox, '{ orders(first: 1) { nodes { nmae } } }');
    expect(data).toBeUndefined();
    expect(errors?.[0]?.message).toContain('nmae');
  });
});

describe('store credit', () => {
  const mutation = `mutation ($id: ID!, $creditInput: StoreCreditAccountCreditInput!) {
    storeCreditAccountCredit(id: $id, creditInput: $creditInput) {
      storeCreditAccountTransaction { id expiresAt event amount { amount } }
      userErrors { code field message }
    }
  }`;
  const expiresAt = '2027-01-02T03:04:05Z';
  const credit = async (id: string, amount = '7.50', currencyCode = 'EUR') => {
    const creditInput = { creditAmount: { amount, currencyCode }, expiresAt };
    const { data } = await askAdmin(sandbox, mutation, { id, creditInput });
    return data.storeCreditAccountCredit;
  };
  const customerGid = () =>
    `gid://shopify/Customer/${sandbox.actions.createCustomer({ firstName: 'Robin' }).id}`;

  it('is credited to the customer, and the account and its transactions are read back', async () => {
    await start();
    const id = customerGid();
    const { storeCreditAccountTransaction: made, userErrors } = await credit(id);
    expect(userErrors).toEqual([]);
    expect(made).toMatchObject({ event: 'ADJUSTMENT', amount: { amount: '7.5' } });
    const [own] = sandbox.rows.storeCreditAccounts.values();
    expect((await credit(`gid://shopify/StoreCreditAccount/${own?.id}`)).userErrors).toEqual([]);
    const query = `query ($id: ID!) { customer(id: $id) { storeCreditAccounts(first: 5) { nodes {
      balance { amount currencyCode }
      transactions(first: 5, reverse: true) { nodes {
        ... on StoreCreditAccountCreditTransaction { id expiresAt }
      } }
    } } } }`;
    const { data } = await askAdmin(sandbox, query, { id });
    const [account] = data.customer.storeCreditAccounts.nodes;
    expect(account.balance).toEqual({ amount: '15.0', currencyCode: 'EUR' });
    expect(account.transactions.nodes.at(-1)).toEqual({ id: made.id, expiresAt });
  });

  it('is refused by name, and nothing is credited', async () => {
    await start();
    const id = customerGid();
    const refusal = async (...args: Parameters<typeof credit>) =>
      (await credit(...args)).userErrors[0]?.code;
    expect(await refusal(id, '-1.00')).toBe('NEGATIVE_OR_ZERO_AMOUNT');
    expect(await refusal(id, '15000.01')).toBe('CREDIT_LIMIT_EXCEEDED');
    expect(await refusal(id, '1.00', 'XAF')).toBe('UNSUPPORTED_CURRENCY');
    expect(await refusal('gid://shopify/Customer/1')).toBe('OWNER_NOT_FOUND');
    expect(await refusal('gid://shopify/StoreCreditAccount/1')).toBe('ACCOUNT_NOT_FOUND');
    later(365 * 86_400);
    expect(await refusal(id)).toBe('EXPIRES_AT_IN_PAST');
    expect(sandbox.state().storeCreditTransactions).toEqual([]);
  });

  it('is credited although the answer is lost', async () => {
    await start();
    const id = customerGid();
    sandbox.faults.add({ kind: 'reset-after', operation: 'storeCreditAccountCredit' });
    await expect(credit(id)).rejects.toThrow();
    const [row] = sandbox.state().storeCreditTransactions;
    expect(row).toMatchObject({ kind: 'credit', minor: 750, expiresAt });
  });
});
