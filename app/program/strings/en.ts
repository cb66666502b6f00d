import type { FailureCode, RedemptionState, WhyNot } from '../answers.ts';
import type { NotUsed } from '../cart.ts';

export type Language = 'en' | 'es' | 'pt-BR';

/** To a shopper these are the same. */
export const SAME_SENTENCE = {
  'below-minimum-percent': 'below-minimum',
  'not-enrolled': 'not-a-member',
  'bad-token': 'bad-signature',
  'not-ready': 'pending',
} as const;

/** `{n}` and the like are filled in. The other languages have the same texts, or they do not compile. */
export const en = {
  points: { one: '{n} point', other: '{n} points' },
  cashback: '{amount} cashback',
  balance: {
    heading: 'Your points',
    none: 'No points yet. They appear here after your first order.',
    asOf: 'As of {date}',
    expiring: 'Expiring on {date}: {points}',
    toGo: '{points} to your next reward: {title}',
    tier: 'Tier: {name}',
    next: 'On the way to {name}',
    progress: '{value} of {goal}',
    logIn: 'Log in',
    logInTo: 'to see your points and to redeem rewards.',
  },
  earns: {
    product: 'This product earns you about {gain}.',
    cart: 'This order earns you about {gain}.',
  },
  rewards: {
    heading: 'Rewards',
    others: 'More rewards',
    none: 'There are no rewards at the moment.',
    worth: {
      off: '{value} off',
      shipping: 'Free shipping',
    },
    redeem: 'Redeem for {points}',
    redeemCredit: 'Get it as store credit for {points}',
    /** Before store credit for most of the points. */
    question:
      'This uses most of the points, and store credit cannot be turned back into points. Continue?',
    amount: 'Amount ({least} to {most})',
    redeeming: 'Redeeming…',
    /** Used where the number is known. */
    missing: 'You need {points} more.',
    /** Used where the tiers are known. */
    forTiers: 'For {tiers} customers',
    /** After a failure that leaves open whether points were spent. */
    safeToRetry: 'You can try again: your points are never taken twice.',
    done: 'Done. Your code is {code}.',
  },
  codes: {
    heading: 'Your redeemed rewards',
    use: 'Use it now',
    inCart: 'It is in your cart.',
    cameOff: '{amount} came off your cart.',
    copy: 'Copy code',
    copied: 'Copied.',
    notCopied: 'Could not copy. The code is selected: copy it yourself.',
    takeBack: 'Take back',
    confirm: 'Take it back? The code stops working, and what it cost is given back.',
    yes: 'Yes, take it back',
    no: 'No',
    validUntil: 'Valid until {date}',
    /** One that was refused has a sentence of `why`. */
    states: {
      ready: 'Ready: use it now, or enter it at checkout.',
      making: 'The points are spent and the code is being made. It will appear here.',
      pending:
        'Waiting for confirmation. The points are never taken twice. The code will appear here.',
      used: 'Used',
      expired: 'Expired',
      returning: 'Being taken back. The points will be back in a few minutes.',
      cancelled: 'Cancelled: the points are back.',
      credited: '{amount} was added to your store credit. Use it at checkout.',
    } satisfies Readonly<Record<Exclude<RedemptionState, 'refused'>, string>>,
  },
  /** Why a code did not come into the cart; other reasons are those of `why`. */
  cart: {
    'empty-cart': 'Your cart is empty: put something in first.',
    'product-missing': 'The product of this reward is not in your cart.',
    'other-customer': 'This code is for another customer account.',
    'code-gone': 'This code is no longer valid.',
    'cart-conditions':
      'Your cart does not meet its conditions, or it does not combine with another discount.',
  } satisfies Readonly<Record<Exclude<NotUsed, WhyNot | FailureCode>, string>>,
  referral: {
    heading: 'Invite friends',
    share: 'Share',
    copy: 'Copy link',
  },
  loading: 'Loading…',
  tryAgain: 'Try again',
  tryAgainIn: 'Please try again in {n} s.',
  why: {
    'bad-signature': 'The store could not confirm this page. Please load it again.',
    'not-logged-in': 'Please log in first.',
    'too-many-requests': 'That was a bit fast.',
    'not-live': 'The loyalty program is not open yet.',
    unavailable: 'The loyalty program cannot be reached at the moment.',
    'too-few-points': 'There are not enough points for this reward.',
    'below-minimum': 'The cart is too small for this reward.',
    'exceeds-purchase': 'This reward is worth more than the cart.',
    'no-cashback': 'There is no cashback for this cart.',
    'not-a-member': 'You are not a member of the loyalty program.',
    'another-member':
      'Another member has your e-mail address or document. Please contact the store.',
    'not-cumulative': 'This reward cannot be combined with other discounts.',
    'product-conditions': 'The cart does not meet the conditions for this product.',
    'not-online': 'This reward cannot be redeemed in the online store.',
    'value-not-allowed': 'This amount is not possible for the cart.',
    'not-available': 'This reward is not available at the moment.',
    'limit-reached': "You've reached the limit for this reward.",
    refused:
      'The loyalty program did not accept this. Perhaps there are not enough points yet. None were taken.',
    network: 'The connection was lost.',
    technical: 'Something went wrong on our side. Please try again later.',
    'other-tier': 'This reward is for customers of another tier.',
    pending: 'This reward has already been requested. It is being confirmed.',
    'take-back-not-allowed': 'Only the store can take this back.',
    'take-back-refused': 'The loyalty program refused to take it back. The code works again.',
    'take-back-too-late': 'This can no longer be taken back.',
    'already-used': 'This code has already been used.',
  } satisfies Readonly<Record<Exclude<WhyNot | FailureCode, keyof typeof SAME_SENTENCE>, string>>,
};

export type Strings = typeof en;
