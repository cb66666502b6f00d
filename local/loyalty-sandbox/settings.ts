import * as v from 'valibot';

/** A part that is not given has its default. */
const flag = (preset: boolean) => v.optional(v.boolean('must be true or false'), preset);

/** The first is the default. */
const oneOf = <const Value extends string | number>(first: Value, ...others: Value[]) =>
  v.optional(v.picklist([first, ...others], `must be ${[first, ...others].join(' or ')}`), first);

function number(
  preset: number,
  least: number,
  most: number,
  kind: 'number' | 'whole number' = 'number',
) {
  const fits = (value: number) =>
    value >= least && value <= most && (kind === 'number' || Number.isInteger(value));
  const problem = `must be a ${kind} from ${least} to ${most}`;
  return v.optional(v.pipe(v.number(problem), v.check(fits, problem)), preset);
}

const text = (preset: string, form: RegExp, problem: string) =>
  v.optional(v.pipe(v.string(problem), v.regex(form, problem)), preset);

/** An object with any of these members and no others. */
const group = <const Members extends v.ObjectEntries>(members: Members) =>
  v.strictObject(members, ({ expected }) =>
    expected === 'never' ? 'is not a setting' : 'must be an object',
  );

/**
 * Everything the sandbox had to decide because the contract does not show it. The defaults are the
 * gentlest reading: what the contract does not forbid is accepted.
 */
const settings = group({
  /** The pair is made in the admin panel, which the sandbox does not have: so it is fixed here. */
  credentials: v.optional(
    group({
      // Basic authentication joins the two with the first colon.
      token: text('sandbox-token', /^[^:]+$/, 'must not be empty or contain a colon'),
      key: text('sandbox-key', /^.+$/s, 'must not be empty'),
    }),
    {},
  ),
  /**
   * Throttling exists (error 103), its limit and its form are not shown. Off at 0, because a test
   * should meet only the limit it asked for. `code-103` answers HTTP 200 with the code inside.
   */
  rateLimit: v.optional(
    group({ perSecond: number(0, 0, 1_000_000), answer: oneOf('http-429', 'code-103') }),
    {},
  ),
  /**
   * Points per unit of the order total: not shown. One for one is easiest to check by eye. Within these
   * bounds, and those of the next, the largest single amount is counted exactly: see `largestAmount`.
   */
  pointsPerUnit: number(1, 0, 100),
  /**
   * What one point is worth: not shown. The contract calls cashback the equivalent of a point record,
   * so both are two views of one balance, and a cashback change is turned into points by this.
   */
  cashbackPerPoint: number(0.05, 0.0001, 100),
  /** The largest part of a purchase that cashback may pay: a program's rule, which only `MaxCashbackForCurrentPurchase` shows. */
  cashbackPercentOfPurchase: number(50, 1, 100),
  /** Of the program. Documented for product points: BRL where none is given. */
  currency: text('BRL', /^[A-Z]{3}$/, 'must be three capital letters'),
  /**
   * How long points are valid: not shown. It is only reported (PointsToExpire, ExpirationDate,
   * ValidDate): no transaction for expiry is shown, so the sandbox takes nothing away by itself.
   */
  pointsValidDays: number(365, 1, 36_500, 'whole number'),
  /**
   * Documented: a program gives the points of a purchase after a set number of days. At 0 they come
   * at once (the service: within minutes).
   */
  daysToWaitToGrantPoints: number(0, 0, 36_500, 'whole number'),
  /**
   * Whether an order may be sent again under the same OriginalId: not shown. `refuse` answers 36 and
   * leaves the stored order as it is.
   */
  repeatedOrder: oneOf('replace', 'refuse'),
  /** What another total does to points already given, when a completed order is sent again: not shown. */
  changedTotal: oneOf('revises-points', 'keeps-points'),
  /**
   * Completed orders can be cancelled (documented), so when error 13 comes is not shown. `both-flags`:
   * an order with both flags. `cancel-completed`: the cancel operations on a completed order.
   * `return-completed`: those, and a completed order sent again as returned.
   */
  error13: oneOf('both-flags', 'cancel-completed', 'return-completed', 'never'),
  /** What a cancel answers whose effect shows later (up to 24 hours): not shown. */
  lateCancel: flag(false),
  /** Whether the total of a read order shows its partial cancels: not shown. */
  readTotal: oneOf('as-sent', 'less-partial-cancels'),
  /** The error of a CancelKey that was used before on the same order: not shown. */
  usedCancelKey: oneOf('refund-error', 'envelope-error'),
  /** Which ids the operations under /POS take beside e-mail and document: not shown. */
  posCustomerId: oneOf('any', 'email-or-document'),
  /**
   * Whether two members may have one e-mail address or document: not shown, but there are errors for it (118, 119).
   * `taken`: both are members, and the address stands for the first. `refused`: the second is not taken.
   */
  sharedIdentity: oneOf('taken', 'refused'),
  /** The answer to a keyed redemption sent again: not shown. The sample expects the first result. */
  repeatedRedeem: oneOf('first-result', 'refuse', 'null-result'),
  /**
   * `asked`: available rewards say ShouldValidateCustomer. `enforced`: a keyed redemption without the
   * PIN is refused, too, which is not shown.
   */
  challenge: oneOf('off', 'asked', 'enforced'),
  /** How a PIN reaches a customer: not shown. The service asks for a phone number or address that it lacks. */
  challengeSentBy: oneOf('sms-or-email', 'sms', 'email'),
  /** Documented: operations on one object move from envelope B to A, and errors may lack ErrorCode. */
  envelope: oneOf('A', 'A-without-numbers', 'B'),
  /** Which topic spending causes: inferred from its name. Its Points are below zero in either. */
  spendingTopic: oneOf('Point_Removed', 'Point_Add'),
  /** Documented: every delivery is wrapped. An older sample numbers the topics; some bodies are bare. */
  eventForm: oneOf('wrapped', 'numbered-topic', 'bare'),
  /** Documented: the id in the store, null, the e-mail or the document, depending on the platform. */
  eventCustomerId: oneOf('store-id', 'null', 'email', 'document'),
  /** What an absent IsEnrolled means for a new customer: not shown. A store sends its members. */
  enrolledByDefault: flag(true),
  /** Whether upper and lower case make two codes, and two OriginalIds of coupons: not shown. */
  couponCase: oneOf('distinguished', 'ignored'),
  /** Whether a coupon must have a customer (else error 55): not shown. Public codes have none. */
  requireCouponCustomer: flag(false),
});

/** Settings of the server around the program: what it keeps, and how it sends point events. */
export const defaultServerSettings = {
  /** Calls the journal holds; older ones are dropped and counted. */
  journalLimit: 100_000,
  /** Whether and how the service retries a delivery is not shown. About 25 s in all by default. */
  eventAttempts: 8,
  eventFirstDelayMs: 200,
  eventLongestDelayMs: 30_000,
  eventTimeoutMs: 5_000,
  /**
   * Documented: a subscription may be switched off after 5 or more failures in a row. 0: it never is, for
   * a run that restarts its receiver.
   */
  subscriptionFailures: 5,
  /** Events kept to look at once they are delivered, given up or not to be sent. */
  eventsKept: 10_000,
};

export type SandboxSettings = v.InferOutput<typeof settings>;
export type ServerSettings = Readonly<typeof defaultServerSettings>;

/** What may be given: any part, even of the nested ones. */
export type PartialSettings = v.InferInput<typeof settings>;

export const defaultSettings = v.parse(settings, {});

type Reading =
  | { readonly kind: 'read'; readonly settings: SandboxSettings }
  | { readonly kind: 'faulty'; readonly faults: readonly string[] };

/** Fills what is missing with the defaults. All faults are reported together, in words that begin with a name. */
export function readSettings(input: unknown = {}): Reading {
  const { success, output, issues = [] } = v.safeParse(settings, input);
  if (success) return { kind: 'read', settings: output };
  const faults = issues.map((one) => `${v.getDotPath(one) ?? 'the settings'} ${one.message}`);
  return { kind: 'faulty', faults };
}
