import { issueSessionToken, type TokenUser } from '../../local/store-sandbox/session-tokens.ts';
import { createCircuitBreaker } from '../../shared/core/calls/call-loyalty.ts';
import type { BalanceEvent } from '../../shared/core/events/event.ts';
import type { Ledger } from '../../shared/core/ledger/ledger.ts';
import {
  type RememberedBalance,
  rememberBalance,
} from '../../shared/rewards/balances/point-balance.ts';
import type { StartedChallenge, TypedContacts } from '../../shared/rewards/redeem/challenge.ts';
import { createMembers } from '../../shared/rewards/redeem/own-member.ts';
import type { RedeemAnswer, RedeemRequest } from '../../shared/rewards/redeem/redeem-reward.ts';
import type { TakeBackAnswer } from '../../shared/rewards/redeem/take-back.ts';
import type { GiftLimits } from '../../shared/rewards/storefront/give-points.ts';
import { createRateLimit, createStorefront } from '../../shared/rewards/storefront/storefront.ts';
import { createScriptServer } from '../../shared/shopify/storefront-requests/serve-script.ts';
import { serveStorefront } from '../../shared/shopify/storefront-requests/serve-storefront.ts';
import { openInProcessLoyalty } from './in-process-loyalty.ts';
import { createMemoryLedger, type MemoryLedger } from './memory-ledger.ts';
import { recordTelemetry } from './recorded-telemetry.ts';
import { encode, proxyValues, signedQuery } from './signed-query.ts';

export const SHOP = 'example-store.myshopify.com';
export const SECRET = 'app-secret-of-this-test';
export const CLIENT_ID = 'app-of-this-test';
const SCRIPT = 'console.log("widget")';
const SCRIPTS = { '': SCRIPT, en: 'console.log("in English")', es: 'console.log("en español")' };

export interface Asking {
  readonly customerId?: string;
  readonly own?: Readonly<Record<string, string | readonly string[]>>;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of a query that Shopify would sign. */
  readonly query?: string;
  /** From an extension: with the session token of this user, and a query that is not signed. */
  readonly as?: TokenUser;
}

/**
 * The storefront in this process, on a clock that the test moves: the real request handling, use cases and
 * client; the sandbox's rules; a model of the ledger; and scripted redemptions.
 */
export function serveInProcess({
  readsPerMinute = 1_000,
  challenge = 'off',
  taxInPrices = 0,
  observers,
  flow,
  posCustomerId = 'email-or-document',
  beside,
}: {
  /** A connector that is running: this storefront shares its service, ledger and clock. */
  readonly beside?: {
    readonly clock: { ms: number };
    readonly loyalty: ReturnType<typeof openInProcessLoyalty>;
    readonly ledger: MemoryLedger;
  };
  readonly flow?: GiftLimits;
  /** The shop is only observed. */
  readonly observers?: readonly string[];
  readonly readsPerMinute?: number;
  readonly taxInPrices?: number;
  readonly challenge?: 'off' | 'asked';
  readonly posCustomerId?: 'email-or-document' | 'store-id';
} = {}) {
  const clock = beside?.clock ?? { ms: Date.parse('2026-10-09T12:00:00.000Z') };
  const now = () => new Date(clock.ms);
  const loyalty = beside?.loyalty ?? openInProcessLoyalty(now, { challenge, currency: 'EUR' });
  const memoryLedger = beside?.ledger ?? createMemoryLedger();
  const telemetry = recordTelemetry();
  const secrets: { current: string; previous?: string | undefined } = { current: SECRET };
  const redeemed: RedeemRequest[] = [];
  const requested: BalanceEvent[] = [];
  const challenged: {
    readonly customerId: string;
    readonly staffId: string;
    readonly typed: TypedContacts;
  }[] = [];
  const takenBack: {
    readonly customerId: string;
    readonly id: string;
    staffId?: string | undefined;
  }[] = [];
  const parts: {
    takenBack: TakeBackAnswer;
    ledger: Ledger;
    answer: RedeemAnswer;
    queueFails?: boolean;
    clientId: string | undefined;
    challenge: StartedChallenge;
    /** Of the store: those whom a till may serve. */
    hasCustomer: (customerId: string) => Promise<boolean>;
  } = {
    takenBack: { kind: 'unavailable' },
    ledger: memoryLedger,
    answer: { kind: 'unavailable' },
    clientId: CLIENT_ID,
    challenge: { kind: 'started' },
    hasCustomer: async () => true,
  };
  const issue = () => ({ shop: SHOP, clientId: CLIENT_ID, secret: SECRET, now: now() });
  const breaker = createCircuitBreaker();
  const storefront = createStorefront({
    shop: SHOP,
    ledger: {
      readMany: (keys) => parts.ledger.readMany(keys),
      write: (key, entry, revision) => parts.ledger.write(key, entry, revision),
    },
    loyalty: loyalty.client,
    members: createMembers({
      ...{ shop: SHOP, loyalty: loyalty.client, breaker, telemetry, now },
      posCustomerId,
    }),
    breaker,
    queue: {
      send: async (event) => {
        if (parts.queueFails) throw new Error('the queue is away');
        requested.push(event);
      },
    },
    telemetry,
    customers: 'from-sign-up',
    now,
    retentionDays: 60,
    takeBack: { by: 'customer', withinDays: 30 },
    taxInPrices,
    pointCallsPerMinute: readsPerMinute,
    flow,
    rewardTypes: { 0: 'percent', 1: 'fixed', 3: 'cashback', 4: 'custom', 5: 'product' },
  });
  const redeeming = {
    redeem: async (customerId: string, intent: Omit<RedeemRequest, 'shop' | 'customerId'>) => {
      redeemed.push({ ...intent, shop: SHOP, customerId });
      return parts.answer;
    },
    challenge: async (customerId: string, staffId: string, typed: TypedContacts = {}) => {
      challenged.push({ customerId, staffId, typed });
      return parts.challenge;
    },
    takeBack: async (customerId: string, id: string, staffId?: string) => {
      takenBack.push({ customerId, id, staffId });
      return parts.takenBack;
    },
  };
  const world = {
    shops: new Map([
      [
        'example-store',
        {
          domain: SHOP,
          secrets: {
            get: async () => secrets,
            refresh: async () => ({ kind: 'unchanged', value: secrets }) as const,
          },
          clientId: async () => parts.clientId,
          hasCustomer: (id: string) => parts.hasCustomer(id),
          storefront: { ...storefront, ...redeeming },
          observers,
          rateLimit: {
            customer: createRateLimit(readsPerMinute),
            anonymous: createRateLimit(10 * readsPerMinute),
            staff: createRateLimit(readsPerMinute),
            tills: createRateLimit(3 * readsPerMinute),
          },
        },
      ],
    ]),
    script: async () => createScriptServer(SCRIPTS),
    telemetry,
    now,
  };

  return {
    clock,
    loyalty,
    telemetry,
    parts,
    secrets,
    redeemed,
    requested,
    challenged,
    takenBack,
    script: SCRIPT,
    /** What a session token of now is made from. */
    issue,

    async ask(path: string, asking: Asking = {}) {
      const { customerId, own = {}, body, as } = asking;
      const method = asking.method ?? (body === undefined ? 'GET' : 'POST');
      const answer = await serveStorefront(
        {
          method,
          path: path.startsWith('/') ? path : `/example-store/${path}`,
          query:
            asking.query ??
            (as ? encode(own) : signedQuery(proxyValues(SHOP, now(), customerId, own), SECRET)),
          headers: {
            ...(as && { authorization: `Bearer ${issueSessionToken(as, issue())}` }),
            ...(method === 'POST' && { 'content-type': 'application/json' }),
            ...asking.headers,
          },
          body: Buffer.from(
            typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body),
          ),
        },
        world,
      );
      const isJson = answer.headers['content-type']?.startsWith('application/json');
      return { ...answer, json: isJson ? JSON.parse(answer.body) : undefined };
    },

    /** Creates the customer in the loyalty service, as an order does. */
    async enroll(id: string, orderTotal = 1): Promise<void> {
      await loyalty.client.sendOrder({
        OriginalId: `order-of-${id}`,
        OrderPlacementDate: '2026-10-01T09:00:00Z',
        OrderCompletedDate: '2026-10-02T09:00:00Z',
        IsCompleted: true,
        OrderTotal: orderTotal,
        Customer: { OriginalId: id, Name: `Name ${id}`, Email: `${id}@example.com` },
      });
    },

    /** Stores a balance, as a point event does. */
    async remember(
      id: string,
      points: string,
      cashback: string,
      tier?: string | null,
      more: Partial<RememberedBalance> = {},
      revision?: number,
    ) {
      const remembered = rememberBalance({
        ...{ points, cashback, ...more },
        ...(tier !== undefined && { tier }),
      });
      const version = Date.parse('2026-10-09T11:30:00.000Z');
      const key = { shop: SHOP, kind: 'customer', id } as const;
      await memoryLedger.write(
        key,
        { version, uncertain: false, remembered, outcomes: [] },
        revision,
      );
    },

    calls: (operation: string) =>
      loyalty.journal.filter((call) => call.operation === operation).length,
  };
}
