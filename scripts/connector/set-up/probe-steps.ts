import type { LoyaltyAssumptions } from '../../../shared/config/connector-settings.ts';
import type { Value } from '../../../shared/loyalty/operations.ts';
import { NO_SUCH_REDEMPTION } from '../../../shared/rewards/redeem/resume-redemption.ts';
import { fail, pass, unknown } from '../ground/checks/check.ts';
import {
  type Answer,
  type Conclusion,
  type FoundSettings,
  makeOrder,
  orderOf,
  returnOf,
  type TestAccount,
  UNCLEAR,
} from './probe-account.ts';

/** Enough for a reward in a program that gives a point or more per unit. */
const FIRST_TOTAL = 1000;
const TOTAL = 100;
const LOWER = 80;
const PARTS = [30, 20] as const;
/** Sent after both parts: 20 more than the total before them. */
const RAISED = TOTAL + 20;

const NO_POINTS =
  'No points came in time, so their change is not known: try again with a longer --wait, in a program that gives points at once.';

type Points = number | undefined;

const isMoved = (before: Points, after: Points) =>
  before !== undefined && after !== undefined && before !== after;

const assume = (assumptions: LoyaltyAssumptions): FoundSettings => ({ loyalty: { assumptions } });

const totalOf = async ({ loyalty, id }: TestAccount, name: string) =>
  (await loyalty.getOrder(`${id}-${name}`)).value?.OrderTotal;

const inactive = (id: string): TestAccount['undos'][number] => ({
  what: `customer ${id} (stays, set inactive)`,
  byHand: 'Set the customer inactive in the panel of the service.',
  goneCodes: [59],
  run: (client) => client.changeCustomerStatus(id, { IsEnabled: false, Reason: 'probe' }),
});

async function tryEnrolment(account: TestAccount): Promise<Conclusion> {
  const { customer, undos, loyalty } = account;
  undos.push(inactive(customer.OriginalId));
  const order = await makeOrder(account, 'first', FIRST_TOTAL);
  const isEnrolled = (await loyalty.getCustomer(customer.OriginalId)).value?.IsEnrolled;
  if (isEnrolled !== true) {
    // The later steps need a customer who earns points, and an order sent before gives none.
    await loyalty.upsertCustomer({ ...customer, IsEnrolled: true });
    await makeOrder(account, 'second', FIRST_TOTAL);
  }
  // Points that come later would be taken for those of the next step.
  await account.pointsOtherThan(0);
  if (order.verdict !== 'accepted') {
    return unknown(
      'The service does not take a completed order of a new customer: the other steps say little.',
    );
  }
  if (isEnrolled === undefined) return UNCLEAR;
  const means = isEnrolled
    ? 'A customer without IsEnrolled takes part.'
    : "A customer without IsEnrolled takes no part: 'everyone' if all of them agreed, else a function of yours.";
  const settings = { rules: { enrolment: isEnrolled ? 'unstated' : 'everyone' } } as const;
  return { ...pass(means), settings };
}

async function tryResend(account: TestAccount): Promise<Conclusion> {
  const before = await account.points();
  const first = await makeOrder(account, 'resent', TOTAL);
  const given = await account.pointsOtherThan(before);
  const second = await account.loyalty.sendOrder(orderOf(account, 'resent', LOWER));
  const total = await totalOf(account, 'resent');
  const isGiven = isMoved(before, given);
  const after = isGiven ? await account.pointsOtherThan(given) : given;
  if (first.verdict !== 'accepted') return UNCLEAR;
  if (total === TOTAL && !second.isLost) {
    const means = 'An order that was sent cannot be changed by sending it again.';
    return { ...pass(means), settings: assume({ ordersAreReplaced: false }) };
  }
  if (total !== LOWER) return UNCLEAR;
  const settings = assume({ ordersAreReplaced: true });
  const replaced = 'An order sent again replaces the earlier one';
  if (!isGiven) return { ...unknown(`${replaced}. ${NO_POINTS}`), settings };
  const means = isMoved(given, after)
    ? `${replaced}, and its points follow.`
    : `${replaced}, but its points stay: a lower total takes none back.`;
  return { ...pass(means), settings };
}

async function tryPartialCancel(account: TestAccount): Promise<Conclusion> {
  const { id, loyalty } = account;
  const start = await account.points();
  const order = await makeOrder(account, 'parts', TOTAL);
  const before = await account.pointsOtherThan(start);
  const settled = (known: Points) =>
    before === start ? account.points() : account.pointsOtherThan(known);
  const cancel = (key: string, ValueToRefund: number) =>
    loyalty.partiallyCancelPosOrder(`${id}-parts`, { ValueToRefund, CancelKey: `${id}-${key}` });
  const first = await cancel('key-1', PARTS[0]);
  const afterFirst = await settled(before);
  const total = await totalOf(account, 'parts');
  const repeated = await cancel('key-1', PARTS[0]);
  const afterRepetition = await settled(afterFirst);
  const second = await cancel('key-2', PARTS[1]);
  const afterSecond = await settled(afterRepetition);
  const raised = await loyalty.sendOrder(orderOf(account, 'parts', RAISED));
  const afterRaise = await settled(afterSecond);
  if (order.verdict !== 'accepted' || first.verdict === 'unclear') return UNCLEAR;
  if (first.verdict !== 'accepted') {
    const means = 'The service takes no partial cancel of a completed order.';
    return { ...pass(means), settings: assume({ refunds: 'resend' }) };
  }
  const isNet = isRaisedByTheDifference(raised, [before, afterFirst, afterSecond, afterRaise]);
  const takesPoints = isMoved(before, afterFirst);
  const isSecondTaken = second.verdict === 'accepted';
  const isRefused = repeated.verdict !== 'accepted';
  const takesAgain = !isRefused && afterRepetition !== afterFirst;
  const sentences = [
    ...(takesAgain
      ? ['A USED KEY TAKES POINTS AGAIN: report it to the service before you use partial cancels.']
      : []),
    takesPoints ? 'A partial cancel takes points back.' : NO_POINTS,
    ...(isRefused ? [`A used key is refused (${repeated.text}).`] : []),
    ...(isRefused || takesAgain ? [] : ['A used key is accepted and changes nothing.']),
    isSecondTaken ? 'A second part is taken.' : `A second part is not taken (${second.text}).`,
  ];
  const judge = takesAgain ? fail : takesPoints ? pass : unknown;
  const settings = assume({
    ...(takesPoints && { refunds: 'partial-cancel' }),
    ...(total !== undefined && {
      readTotals: total === TOTAL ? 'as-sent' : 'less-partial-cancels',
    }),
    ...(isNet !== undefined && { raiseAfterPartialCancel: isNet ? 'send-gross' : 'park' }),
    ...(repeated.code !== undefined && { usedCancelKeyError: repeated.code }),
  });
  return { ...judge(sentences.join(' ')), settings };
}

/** Whether a higher total counts less the parts, by the points that the first part took; undefined where they do not tell. */
function isRaisedByTheDifference(
  { verdict }: Answer,
  counts: readonly Points[],
): boolean | undefined {
  if (verdict === 'refused') return false;
  const [start = 0, left = 0, then = 0, now = 0] = counts;
  const perUnit = (start - left) / PARTS[0];
  if (verdict !== 'accepted' || counts.includes(undefined) || perUnit <= 0) return undefined;
  // Programs round to whole points.
  return Math.abs(now - then - (RAISED - TOTAL) * perUnit) <= 1;
}

async function tryCancel(account: TestAccount): Promise<Conclusion> {
  const { id, loyalty, cancellation } = account;
  const order = await makeOrder(account, 'cancelled', TOTAL);
  const cancelled = await loyalty.cancelPosOrder(`${id}-cancelled`, cancellation);
  const again = await loyalty.cancelPosOrder(`${id}-cancelled`, cancellation);
  const fallback =
    cancelled.code === 13
      ? await loyalty.sendOrder(returnOf(account, orderOf(account, 'cancelled', TOTAL)))
      : undefined;
  const verdict = (fallback ?? cancelled).verdict;
  if (order.verdict !== 'accepted' || verdict === 'unclear') return UNCLEAR;
  if (fallback) {
    const isTaken = verdict === 'accepted';
    const means = isTaken
      ? 'A completed order cannot be cancelled (error 13), but can be sent again as cancelled.'
      : 'A completed order can neither be cancelled (error 13) nor sent again as cancelled: a person cancels it in the panel.';
    const settings = assume({ completedOrdersTakeTheCancelledMark: isTaken });
    return { ...pass(means), settings };
  }
  if (verdict === 'not-yet') {
    return pass(
      'A cancel is taken and shows later, up to 24 hours. The connector asks again until then.',
    );
  }
  if (verdict === 'refused') {
    return pass('A completed order cannot be cancelled, for another reason than error 13.');
  }
  const isTwice = again.verdict === 'accepted';
  return pass(
    `A completed order can be cancelled; cancelling it twice ${isTwice ? 'is accepted' : 'is refused'}.`,
  );
}

type Available = Answer<Value<'listAvailableRewards'>>;

const availableTo = ({ loyalty }: TestAccount, CustomerId: string) =>
  loyalty.listAvailableRewards({ CustomerId, PurchaseValue: 1000 });

async function compareIds(account: TestAccount): Promise<Conclusion> {
  const byStoreId = await availableTo(account, account.customer.OriginalId);
  const byEmail = await availableTo(account, account.customer.Email);
  const finds = (result: Available) => (result.value?.Customer ?? null) !== null;
  if (byStoreId.verdict === 'unclear' || !finds(byEmail)) return UNCLEAR;
  const isFound = finds(byStoreId);
  const means = isFound
    ? 'Operations under /POS take the id of the store, which no other member can have.'
    : 'Operations under /POS do not take the id of the store, only e-mail or document.';
  const posCustomerId = isFound ? 'store-id' : 'email-or-document';
  return { ...pass(means), settings: { storefront: { posCustomerId } } };
}

async function redeemTwice(account: TestAccount): Promise<Conclusion> {
  const { loyalty, customer, id, undos } = account;
  const listed = await availableTo(account, customer.Email);
  const rewardId = cheapestOf(listed);
  if (rewardId === undefined) {
    return unknown(
      'Not tried: the customer can use no percent or fixed reward now. The program may give points later than --wait; make a cheap reward for the test.',
    );
  }
  const OriginalKey = `${id}-redeem`;
  undos.push({
    what: `redemption ${OriginalKey}`,
    byHand: 'Cancel it in the panel of the service.',
    goneCodes: [73, 74],
    run: (client) => client.cancelRedemptionByKey({ OriginalKey }),
  });
  const redeem = () =>
    loyalty.redeemRewardByKey(rewardId, { CustomerId: customer.Email, OriginalKey });
  // As the connector does it: with nothing to add.
  const lookUp = (key: string) => loyalty.updateRewardMetadata({ OriginalKey: key, Metadatas: [] });
  const before = await account.points();
  const first = await redeem();
  const afterFirst = await account.pointsOtherThan(before);
  const second = await redeem();
  const afterSecond = await account.points();
  const lookup = await lookUp(OriginalKey);
  const absent = await lookUp(`${id}-absent`);
  const redemption = first.value?.RewardId ?? lookup.value?.RewardId;
  const cancelled = await (redemption === undefined
    ? loyalty.cancelRedemptionByKey({ OriginalKey })
    : loyalty.cancelRedemption(redemption));
  const back = await account.points();
  if (first.verdict !== 'accepted') {
    return unknown(
      'The redemption was not accepted, so its repetition is not known. A program that asks for a PIN may refuse it.',
    );
  }
  const isSame = second.value?.RewardId === first.value?.RewardId;
  const rest = [
    ...(lookup.verdict === 'accepted' ? [] : ['A redemption cannot be looked up by its key.']),
    ...(absent.code === NO_SUCH_REDEMPTION
      ? []
      : [
          `The look-up of an unknown key is not answered with error ${NO_SUCH_REDEMPTION}: after a lost answer, a person must settle a refused redemption.`,
        ]),
    cancelled.verdict === 'accepted' && before !== undefined && back === before
      ? 'Its cancellation gives the points back.'
      : 'Its cancellation did not give the points back at once.',
  ].join(' ');
  const isSpent = before !== undefined && afterFirst !== undefined && afterFirst < before;
  if (!isSpent || afterSecond === undefined) {
    const danger =
      'IT IS NOT KNOWN WHETHER A REPEATED KEY SPENDS POINTS AGAIN: the points show no spending at once. Try again before you switch the storefront on.';
    return unknown(`${danger} ${rest}`);
  }
  if (afterSecond !== afterFirst) {
    const danger = 'A REPEATED KEY SPENDS POINTS AGAIN: do not switch the storefront on.';
    return fail(`${danger} ${rest}`);
  }
  const spends = isSame
    ? 'A repetition returns the first result and spends once.'
    : 'A repetition spends once, and its answer does not hold the first result: the connector looks it up by its key.';
  return pass(`${spends} ${rest}`);
}

/** The cheapest usable reward of percent or fixed value. One that costs nothing shows no spending. */
function cheapestOf(listed: Available): number | undefined {
  return (listed.value?.Rewards ?? [])
    .filter(({ CanUse, RewardType }) => CanUse === true && (RewardType === 0 || RewardType === 1))
    .filter(({ Points = 0 }) => Points > 0)
    .toSorted((one, other) => (one.Points ?? 0) - (other.Points ?? 0))[0]?.Id;
}

async function tryCoupon({ loyalty, id, undos, dates }: TestAccount): Promise<Conclusion> {
  undos.push({
    what: `coupon ${id}`,
    byHand: 'Set it inactive in the panel of the service.',
    goneCodes: [57],
    run: (client) => client.deactivateCoupon(id),
  });
  const send = (CouponValue: number) =>
    loyalty.createCoupon({
      OriginalId: `${id}-coupon`,
      CouponCode: id,
      CreatedDate: dates.now,
      CouponType: 0,
      IsUsed: false,
      CouponValue,
      ValidDateStart: dates.now,
      ValidDateEnd: new Date(Date.parse(dates.now) + 86_400_000).toISOString(),
    });
  const created = await send(1);
  const changed = await send(2);
  const value = (await loyalty.getCoupon(id)).value?.Items?.[0]?.CouponValue;
  if (created.verdict === 'refused') {
    const means = 'A coupon must have a customer: codes for everyone cannot be sent.';
    return { ...pass(means), settings: { rules: { couponForEveryone: 'skip' } } };
  }
  if (created.verdict !== 'accepted') return UNCLEAR;
  const rules = { couponForEveryone: 'send' } as const;
  const free = 'A coupon needs no customer.';
  if (changed.verdict !== 'refused' && value === undefined) {
    const means = `${free} Whether it is replaced when it is sent again could not be read.`;
    return { ...unknown(means), settings: { rules } };
  }
  const isReplaced = changed.verdict === 'accepted' && value === 2;
  const means = `${free} Sent again, it ${isReplaced ? 'replaces' : 'does not replace'} the earlier one.`;
  const settings = { rules, ...assume({ couponsAreReplaced: isReplaced }) };
  return { ...pass(means), settings };
}

/** No check digit is right: it is no person's. */
const NO_DOCUMENT = '00000000012';
/** NewCustomer_DocumentAlreadyUsed: by the customer of an earlier probe. */
const DOCUMENT_USED = 119;

async function tryTwins(account: TestAccount): Promise<Conclusion> {
  const { loyalty, customer, undos, id } = account;
  const isMember = async (name: string, shared: { Email?: string; Document?: string }) => {
    const OriginalId = `${id}-${name}`;
    undos.push(inactive(OriginalId));
    const sent = await loyalty.upsertCustomer({ OriginalId, Name: id, ...shared });
    if (sent.verdict === 'refused') return false;
    const read = (await loyalty.getCustomer(OriginalId)).value?.OriginalId;
    return sent.verdict === 'accepted' && read !== undefined ? read === OriginalId : undefined;
  };
  const sharesEmail = await isMember('same-email', { Email: customer.Email });
  const found = (await loyalty.getCustomer(customer.Email)).value?.OriginalId;
  const given = await loyalty.upsertCustomer({ ...customer, Document: NO_DOCUMENT });
  // Refused as no document of anybody, it would be refused to the second, too.
  const isGiven = given.verdict === 'accepted' || given.code === DOCUMENT_USED;
  const sharesDocument = isGiven
    ? await isMember('same-document', { Document: NO_DOCUMENT })
    : undefined;
  if (sharesEmail === undefined) return UNCLEAR;
  const takes = (shares: boolean | undefined) =>
    shares === undefined ? 'did not say whether it takes' : shares ? 'takes' : 'does not take';
  const means = `The service ${takes(sharesEmail)} two members with one e-mail address, and ${takes(sharesDocument)} two with one document.`;
  if (!sharesEmail && sharesDocument === false) return pass(means);
  const first = found === customer.OriginalId ? 'first' : 'second';
  const whom = sharesEmail ? ` By the address it finds the ${first} of them.` : '';
  return pass(
    `${means}${whom} A customer for whom it finds another member can redeem nothing until a person acts (docs/runbook.md, "Two members").`,
  );
}

/** In the order in which they run: the first makes the customer of all others. docs/probe.md says what each decides. */
export const STEPS: Readonly<Record<string, (account: TestAccount) => Promise<Conclusion>>> = {
  enrolment: tryEnrolment,
  resend: tryResend,
  'partial-cancel': tryPartialCancel,
  cancel: tryCancel,
  'customer-id': compareIds,
  redeem: redeemTwice,
  coupon: tryCoupon,
  // From here on the e-mail address may stand for another.
  'two-members': tryTwins,
};
