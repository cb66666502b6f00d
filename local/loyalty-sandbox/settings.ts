import { type Check, dropUndefined, flag, number, oneOf, parts, text } from './setting-checks.ts';

/**
 * Everything the sandbox had to decide because the contract does not show it. The defaults are the
 * gentlest reading: what the contract does not forbid is accepted.
 */
export interface SandboxSettings {
  /** The pair is made in the admin panel, which the sandbox does not have: so it is fixed here. */
  readonly credentials: { readonly token: string; readonly key: string };
  /** Status of a missing or wrong credential: not shown. 401 is what Basic authentication means. */
  readonly badCredentialStatus: number;
  /**
   * Throttling exists (error 103), its limit and its form are not shown. Off at 0, because a test
   * should meet only the limit it asked for. `code-103` answers HTTP 200 with the code inside.
   */
  readonly rateLimit: { readonly perSecond: number; readonly answer: 'http-429' | 'code-103' };
  /** Points per unit of the order total: not shown. One for one is easiest to check by eye. */
  readonly pointsPerUnit: number;
  /**
   * What one point is worth: not shown. The contract calls cashback the equivalent of a point record,
   * so both are two views of one balance, and a cashback change is turned into points by this.
   */
  readonly cashbackPerPoint: number;
  /**
   * How long points are valid: not shown. It is only reported (PointsToExpire, ExpirationDate,
   * ValidDate): no transaction for expiry is shown, so the sandbox takes nothing away by itself.
   */
  readonly pointsValidDays: number;
  /** PointsToExpire holds only points close to their expiry; how close is not shown. */
  readonly pointsExpireSoonDays: number;
  /**
   * Documented: a program gives the points of a purchase after a set number of days. At 0 they come
   * at once (the service: within minutes).
   */
  readonly daysToWaitToGrantPoints: number;
  /**
   * Whether an order may be sent again under the same OriginalId: not shown. `refuse` answers 36 and
   * leaves the stored order as it is.
   */
  readonly repeatedOrder: 'replace' | 'refuse';
  /**
   * `Origin` of orders, documented: 1 this API. 0 as where an integration that is built into the service
   * sends the same orders.
   */
  readonly orderOrigin: 0 | 1;
  /** What another total does to points already given, when a completed order is sent again: not shown. */
  readonly changedTotal: 'revises-points' | 'keeps-points';
  /**
   * Completed orders can be cancelled (documented), so when error 13 comes is not shown. `both-flags`:
   * an order with both flags. `cancel-completed`: the cancel operations on a completed order.
   * `return-completed`: those, and a completed order sent again as returned.
   */
  readonly error13: 'both-flags' | 'cancel-completed' | 'return-completed' | 'never';
  /** What a cancel answers whose effect shows later (up to 24 hours): not shown. */
  readonly lateCancel: boolean;
  /** Whether a cancel gives back the reward that the order used: a setting of the program. */
  readonly cancelGivesRewardBack: boolean;
  /** How several partial cancels of one order add up: not shown. */
  readonly partialCancelLimit: 'sum' | 'each';
  /** Whether the total of a read order shows its partial cancels: not shown. */
  readonly readTotal: 'as-sent' | 'less-partial-cancels';
  /** The error of a CancelKey that was used before on the same order: not shown. */
  readonly usedCancelKey: 'refund-error' | 'envelope-error';
  /** Which ids the operations under /POS take beside e-mail and document: not shown. */
  readonly posCustomerId: 'any' | 'email-or-document';
  /** The answer to a keyed redemption sent again: not shown. The sample expects the first result. */
  readonly repeatedRedeem: 'first-result' | 'refuse' | 'null-result';
  /**
   * `asked`: available rewards say ShouldValidateCustomer. `enforced`: a keyed redemption without the
   * PIN is refused, too, which is not shown.
   */
  readonly challenge: 'off' | 'asked' | 'enforced';
  /** The answer to a cashback change of an unknown customer: not shown. `flag`: CustomerExists false. */
  readonly unknownCustomer: 'error' | 'flag';
  /** Documented: operations on one object move from envelope B to A, and errors may lack ErrorCode. */
  readonly envelope: 'A' | 'A-without-numbers' | 'B';
  /** Which topic spending causes: inferred from its name. Its Points are below zero in either. */
  readonly spendingTopic: 'Point_Add' | 'Point_Removed';
  /** Documented: every delivery is wrapped. An older sample numbers the topics; some bodies are bare. */
  readonly eventForm: 'wrapped' | 'numbered-topic' | 'bare';
  /** Documented: the id in the store, null, the e-mail or the document, depending on the platform. */
  readonly eventCustomerId: 'store-id' | 'null' | 'email' | 'document';
  /** Whether a repeated delivery keeps its Uuid: not shown. */
  readonly eventUuid: 'per-attempt' | 'per-event';
  /** Both shapes of the product answer are in the contract, not which one a given service uses. */
  readonly productAnswer: 'current' | 'older';
  /** Error 50 exists, its condition is not shown: a customer with neither document nor e-mail. */
  readonly requireDocumentOrEmail: boolean;
  /** Error 51 exists, yet the contract says that any string is accepted as a document: so off. */
  readonly documentAlphanumericOnly: boolean;
  /** Error 118 is about new customers; whether orders are held to it is not shown. */
  readonly uniqueEmail: boolean;
  /** Error 119, as 118. */
  readonly uniqueDocument: boolean;
  /** Error 72 exists; whether it guards customers inside orders is not shown. */
  readonly birthdayIsFinal: boolean;
  /** What an absent IsEnrolled means for a new customer: not shown. A store sends its members. */
  readonly enrolledByDefault: boolean;
  /** Whether a coupon must have a customer (else error 55): not shown. Public codes have none. */
  readonly requireCouponCustomer: boolean;
  /**
   * Envelope C has no ErrorCode, so where a failed list call puts its code is not shown: the first
   * message starts with the error's name, or its number, or has neither.
   */
  readonly listErrors: 'name' | 'number' | 'text';
  /** Size of a page when PageSize is absent: not shown. */
  readonly defaultPageSize: number;
  /** What IsActive=false selects: not shown. Only `true` is said to select anything. */
  readonly isActiveFalseLists: 'all' | 'inactive';
}

export const defaultSettings: SandboxSettings = {
  credentials: { token: 'sandbox-token', key: 'sandbox-key' },
  badCredentialStatus: 401,
  rateLimit: { perSecond: 0, answer: 'http-429' },
  pointsPerUnit: 1,
  cashbackPerPoint: 0.05,
  pointsValidDays: 365,
  pointsExpireSoonDays: 30,
  daysToWaitToGrantPoints: 0,
  repeatedOrder: 'replace',
  orderOrigin: 1,
  changedTotal: 'revises-points',
  error13: 'both-flags',
  lateCancel: false,
  cancelGivesRewardBack: false,
  partialCancelLimit: 'sum',
  readTotal: 'as-sent',
  usedCancelKey: 'refund-error',
  posCustomerId: 'any',
  repeatedRedeem: 'first-result',
  challenge: 'off',
  unknownCustomer: 'error',
  envelope: 'A',
  spendingTopic: 'Point_Removed',
  eventForm: 'wrapped',
  eventCustomerId: 'store-id',
  eventUuid: 'per-attempt',
  productAnswer: 'current',
  requireDocumentOrEmail: true,
  documentAlphanumericOnly: false,
  uniqueEmail: false,
  uniqueDocument: false,
  birthdayIsFinal: false,
  enrolledByDefault: true,
  requireCouponCustomer: false,
  listErrors: 'name',
  defaultPageSize: 10,
  isActiveFalseLists: 'all',
};

/** What may be given: any part, even of the nested ones. */
export type PartialSettings = {
  readonly [K in keyof SandboxSettings]?: SandboxSettings[K] extends object
    ? Partial<SandboxSettings[K]>
    : SandboxSettings[K];
};

export type SettingsReading =
  | { readonly kind: 'read'; readonly settings: SandboxSettings }
  | { readonly kind: 'faulty'; readonly faults: readonly string[] };

const checkSettings = parts({
  credentials: parts({
    // Basic authentication joins the two with the first colon.
    token: text(/^[^:]+$/, 'must not be empty or contain a colon'),
    key: text(/^.+$/s, 'must not be empty'),
  }),
  badCredentialStatus: number(400, 599, 'whole number'),
  rateLimit: parts({
    perSecond: number(0, 1_000_000),
    answer: oneOf('http-429', 'code-103'),
  }),
  // Within these the largest single amount is counted exactly: see `largestAmount`.
  pointsPerUnit: number(0, 100),
  cashbackPerPoint: number(0.0001, 100),
  pointsValidDays: number(1, 36_500, 'whole number'),
  pointsExpireSoonDays: number(0, 36_500, 'whole number'),
  daysToWaitToGrantPoints: number(0, 36_500, 'whole number'),
  repeatedOrder: oneOf('replace', 'refuse'),
  orderOrigin: number(0, 1, 'whole number'),
  changedTotal: oneOf('revises-points', 'keeps-points'),
  error13: oneOf('both-flags', 'cancel-completed', 'return-completed', 'never'),
  lateCancel: flag,
  cancelGivesRewardBack: flag,
  partialCancelLimit: oneOf('sum', 'each'),
  readTotal: oneOf('as-sent', 'less-partial-cancels'),
  usedCancelKey: oneOf('refund-error', 'envelope-error'),
  posCustomerId: oneOf('any', 'email-or-document'),
  repeatedRedeem: oneOf('first-result', 'refuse', 'null-result'),
  challenge: oneOf('off', 'asked', 'enforced'),
  unknownCustomer: oneOf('error', 'flag'),
  envelope: oneOf('A', 'A-without-numbers', 'B'),
  spendingTopic: oneOf('Point_Add', 'Point_Removed'),
  eventForm: oneOf('wrapped', 'numbered-topic', 'bare'),
  eventCustomerId: oneOf('store-id', 'null', 'email', 'document'),
  eventUuid: oneOf('per-attempt', 'per-event'),
  productAnswer: oneOf('current', 'older'),
  requireDocumentOrEmail: flag,
  documentAlphanumericOnly: flag,
  uniqueEmail: flag,
  uniqueDocument: flag,
  birthdayIsFinal: flag,
  enrolledByDefault: flag,
  requireCouponCustomer: flag,
  listErrors: oneOf('name', 'number', 'text'),
  defaultPageSize: number(1, 50, 'whole number'),
  isActiveFalseLists: oneOf('all', 'inactive'),
} satisfies Record<keyof SandboxSettings, Check>);

/** Fills what is missing with the defaults. All faults are reported together. */
export function readSettings(input: unknown = {}): SettingsReading {
  const faults = checkSettings(input, '');
  if (faults.length > 0) return { kind: 'faulty', faults };
  const { credentials, rateLimit, ...rest } = dropUndefined(input as PartialSettings);
  return {
    kind: 'read',
    settings: {
      ...defaultSettings,
      ...rest,
      credentials: { ...defaultSettings.credentials, ...dropUndefined(credentials ?? {}) },
      rateLimit: { ...defaultSettings.rateLimit, ...dropUndefined(rateLimit ?? {}) },
    },
  };
}
