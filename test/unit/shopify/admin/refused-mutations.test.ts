import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WantedCode } from '../../../../shared/rewards/redeem/reward-store.ts';
import {
  type AdminAnswer,
  type FailureReason,
  failure,
  type UserError,
} from '../../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../../shared/shopify/admin/client/admin-client.ts';
import * as documents from '../../../../shared/shopify/admin/documents.gen.ts';
import {
  deleteRewardCode,
  makeRewardCode,
  REWARD_TAG,
} from '../../../../shared/shopify/admin/make-reward-code.ts';
import { sendTrigger } from '../../../../shared/shopify/admin/send-trigger.ts';
import { giveStoreCredit } from '../../../../shared/shopify/admin/store-credit.ts';
import {
  repairDefinition,
  writeBalances,
} from '../../../../shared/shopify/admin/write-balances.ts';
import { createSubscriptions } from '../../../../shared/shopify/subscriptions/subscriptions.ts';

const SHOP = 'example-store.myshopify.com';

/** A store that answers these documents so, and all others as if it had done what was asked. */
function askAnswering(answers: Readonly<Record<string, AdminAnswer<object>>>): Ask {
  const done = { kind: 'data', data: {} } as const;
  return (async ({ name }: { readonly name: string }) => answers[name] ?? done) as unknown as Ask;
}

const wanted: WantedCode = {
  ...{ code: 'REWARD-1', customerId: '7', title: '5 off (R1)', kind: 'fixed', value: 5 },
  ...{ startsAt: '2026-10-09T12:00:00.000Z', combines: false },
};
const credit = { customerId: '7', amount: 5, currency: 'EUR', expiresAt: '2027-01-01T00:00:00Z' };
const balance = { customerId: '7', points: '1', cashback: '0' };
const announced = { what: 'tier-changed', customerId: '7', tier: 'Gold', before: null } as const;

/** One repair of subscriptions: whether the store has made it. */
async function isRepaired(ask: Ask, of: 'missing' | 'wrong' | 'extra'): Promise<boolean> {
  const one = { topic: 'orders/create', uri: 'https://connector.example.com', includeFields: [] };
  const existing = {
    ...{ ...one, id: 'gid://shopify/WebhookSubscription/1', format: 'XML', filter: undefined },
    ...{ metafieldNamespaces: [], apiVersion: { handle: '2026-10', supported: true } },
  };
  const findings = {
    missing: [one],
    wrong: [{ existing, wanted: one, differs: [] }],
    extra: [existing],
  };
  const none = { missing: [], wrong: [], extra: [] };
  const subscriptions = createSubscriptions({
    ask: () => ask,
    shopOf: () => ({ path: 'one', rules: { customers: 'from-sign-up', lostDisputes: 'ignore' } }),
    ...{ webhookAddress: one.uri, products: { productChanges: 'webhooks' } },
  });
  const changes = await subscriptions.repair(SHOP, { ...none, [of]: findings[of] });
  return changes.some(({ done }) => done !== 'refused');
}

/** By the mutation: what uses it, and whether that takes it for done. */
const USES: Readonly<Record<string, (ask: Ask) => Promise<boolean>>> = {
  SetMetafields: async (ask) =>
    (await writeBalances(ask, 'loyalty', [balance]))[0]?.kind === 'written',
  DeleteMetafields: async (ask) => {
    const [written] = await writeBalances(ask, 'loyalty', [{ ...balance, tier: null }]);
    return written?.kind === 'written';
  },
  CreateDefinition: async (ask) =>
    (await repairDefinition(ask, 'loyalty', { field: 'points', state: 'missing' })).kind === 'made',
  OpenDefinition: async (ask) =>
    (await repairDefinition(ask, 'loyalty', { field: 'points', state: 'closed' })).kind === 'made',
  CreateBasicCode: async (ask) => (await makeRewardCode(ask, wanted)).kind === 'made',
  CreateShippingCode: async (ask) =>
    (await makeRewardCode(ask, { ...wanted, kind: 'free-shipping' })).kind === 'made',
  DeleteCode: async (ask) => (await deleteRewardCode(ask, 'gid://1')).kind === 'deleted',
  SendTrigger: async (ask) => (await sendTrigger(ask, SHOP, announced)).kind === 'taken',
  CreditStoreCredit: async (ask) => (await giveStoreCredit(ask, credit)).kind === 'credited',
  CreateSubscription: (ask) => isRepaired(ask, 'missing'),
  UpdateSubscription: (ask) => isRepaired(ask, 'wrong'),
  DeleteSubscription: (ask) => isRepaired(ask, 'extra'),
};

const userErrors = fc.array(
  fc.record<UserError>({
    field: fc.constantFrom(
      '',
      'basicCodeDiscount.code',
      'basicCodeDiscount.title',
      'metafields.0.value',
    ),
    code: fc.constantFrom('INTERNAL_ERROR', 'TAKEN', 'INVALID', 'NOT_FOUND', undefined),
  }),
  { minLength: 1, maxLength: 4 },
);

describe('a mutation that the store answers with user errors', () => {
  const names = Object.values(documents).flatMap((one) =>
    one.kind === 'mutation' ? one.name : [],
  );

  it('is known here, whichever the connector sends', () => {
    expect(Object.keys(USES).toSorted()).toEqual(names.toSorted());
  });

  it.each(names)('%s is never taken for done', async (name) => {
    await fc.assert(
      fc.asyncProperty(userErrors, async (errors) => {
        const ask = askAnswering({
          [name]: { kind: 'user-errors', errors },
          RewardCode: { kind: 'data', data: { codeDiscountNodeByCode: null } },
        });
        expect(await USES[name]?.(ask)).toBe(false);
      }),
    );
  });
});

/**
 * Of a mutation that fails so: `not done`, the store says so before it carries anything out; `under way`, nobody knows;
 * `over`, it has answered, and a part of it may be done: the field of the answer may be what is denied.
 */
const LEFT: Readonly<Record<FailureReason, 'not done' | 'under way' | 'over'>> = {
  ...{ throttled: 'not done', unauthorized: 'not done', 'credentials-unreachable': 'not done' },
  ...{ 'no-credentials': 'not done', 'bad-credentials': 'not done' },
  // By a program before the store, which waits no longer, too.
  ...{ aborted: 'under way', 'time-out': 'under way', connection: 'under way' },
  ...{ 'server-error': 'under way', 'not-the-api': 'under way' },
  ...{ 'access-denied': 'over', 'partial-answer': 'over', 'unreadable-answer': 'over' },
  ...{ forbidden: 'over', 'shop-frozen': 'over', 'shop-locked': 'over', 'shop-not-found': 'over' },
  ...{ redirected: 'over', 'query-refused': 'over', 'order-not-visible': 'over' },
  'changed-while-reading': 'over',
};

it.each(Object.entries(LEFT))('a mutation that fails as %s is %s', async (reason, left) => {
  const answer = failure(reason as FailureReason);
  const ask = askAnswering({ CreditStoreCredit: answer, SetMetafields: answer });
  const notSent = left === 'not done';
  expect(await giveStoreCredit(ask, credit)).toMatchObject({ kind: 'unavailable', notSent });
  const [written] = await writeBalances(ask, 'loyalty', [balance]);
  const waits = left === 'under way' && { afterSeconds: 30, mayHaveHappened: true };
  expect({ afterSeconds: undefined, mayHaveHappened: undefined, ...written }).toMatchObject({
    ...{ kind: 'unavailable', afterSeconds: undefined, mayHaveHappened: undefined, ...waits },
  });
});

describe('the errors of a code that is not made', () => {
  const context = {
    __typename: 'DiscountCustomers',
    customers: [{ id: 'gid://shopify/Customer/7' }],
  };
  const own = { tags: [REWARD_TAG], title: wanted.title, context };
  const make = async (errors: readonly UserError[], codeDiscountNodeByCode: object | null) =>
    (
      await makeRewardCode(
        askAnswering({
          CreateBasicCode: { kind: 'user-errors', errors },
          RewardCode: { kind: 'data', data: { codeDiscountNodeByCode } },
        }),
        wanted,
      )
    ).kind;

  it('mean the same in whatever order the store lists them', async () => {
    const isThere = fc.boolean();
    const shuffled = userErrors.chain((errors) =>
      fc.tuple(fc.constant(errors), fc.shuffledSubarray(errors, { minLength: errors.length })),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, isThere, async ([errors, others], there) => {
        const node = there ? { id: 'gid://shopify/DiscountCodeNode/1', codeDiscount: own } : null;
        expect(await make(others, node)).toBe(await make(errors, node));
      }),
    );
  });

  it('say among others that it is taken: it is found, where an earlier call has made it', async () => {
    const taken = { field: 'basicCodeDiscount.code', code: 'TAKEN' };
    const title = { field: 'basicCodeDiscount.title', code: 'INVALID' };
    const node = { id: 'gid://shopify/DiscountCodeNode/1', codeDiscount: own };
    expect(await make([title, taken], node)).toBe('made');
  });
});
