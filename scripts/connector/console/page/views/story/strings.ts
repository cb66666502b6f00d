import type { TraceDocument } from '../../../../trace/show-trace.ts';

type Line = TraceDocument['timeline'][number];
type Why = NonNullable<TraceDocument['points']>['why'];

export const strings = {
  kinds: {
    order: 'Order',
    product: 'Product',
    coupon: 'Coupon',
    customer: 'Customer',
  },
  recorded: 'This is recorded with your name.',
  bothSides: 'Both sides now',
  verdicts: {
    agrees: 'both sides agree',
    differs: 'the sides differ',
    unknown: 'not known',
  } satisfies Readonly<Record<TraceDocument['verdict']['kind'], string>>,
  /** Why an order has points or not, in two or three words. */
  points: {
    earned: 'has points',
    sent: 'sent',
    expected: 'points will follow',
    waiting: 'waits',
    paused: 'paused',
    uncertain: 'is tried again',
    pending: 'not complete yet',
    'not-complete': 'not complete yet',
    exchange: 'being exchanged',
    rejected: 'given up',
  } as Readonly<Partial<Record<Why, string>>>,
  /** The same as an answer to a customer, for a person who does not know how the connector works. */
  meanings: {
    guest: 'No points: it was ordered as a guest, without a customer who could have them.',
    'customer-without-email':
      'No points: the customer has no e-mail address, and the loyalty service cannot tell who it is.',
    'test-order': 'No points: it is a test order.',
    pending: 'No points yet: the order is not complete. It earns them by itself as soon as it is.',
    'not-complete':
      'No points yet: the order is not complete. It earns them by itself as soon as it is.',
    'before-go-live': 'No points: it was placed before the loyalty program began.',
    exchange: 'No points yet: an exchange of the items is under way.',
    redacted: "No points: the customer's data was erased.",
    'never-sent': 'No points: the order ended before anything of it was sent.',
    cancelled: 'No points: the order was cancelled or wholly refunded.',
    'rule-fails':
      'No points: a rule in the settings fails for this order. Its operator must repair it.',
    paused:
      'No points yet: sending to the loyalty service is paused. It goes on when the pause ends.',
    rejected:
      'No points yet: the order could not be sent to the loyalty service. An operator must find out why and send it again.',
    uncertain:
      'No points yet: the loyalty service has not confirmed the order. It is sent again by itself.',
    waiting:
      'No points yet: the loyalty service does not have the order yet. It is sent by itself; there is nothing to do.',
    'total-zero': 'No points: nothing was left to pay.',
    'not-in-service':
      'No points: the order was sent, but the loyalty service does not have it. An operator must send it again.',
    'cancelled-in-service': 'No points: the order is cancelled in the loyalty service.',
    'none-by-service': 'No points: the loyalty service has the order and gives none for it.',
    expected: 'No points yet: the loyalty service has the order and will give them.',
    earned: 'The order has its points.',
    sent: 'The loyalty service has the order; its rules decide how many points that gives.',
  } as Readonly<Partial<Record<Why, string>>>,
  who: {
    store: 'Store',
    queue: 'Queue',
    ledger: 'Connector',
    'dead letter': 'Dead letter',
    'loyalty service': 'Loyalty service',
  } satisfies Readonly<Record<Line['who'], string>>,
  events: {
    created: 'created',
    changed: 'changed last',
    fulfilled: 'fulfilled',
    refunded: 'refunded',
    cancelled: 'cancelled',
    'webhook-sent': 'webhook sent',
    received: 'received',
    waits: 'waits',
    'next-try': 'next attempt',
    'given-up': 'given up',
    replayed: 'sent again',
    'points-given': 'points given',
  } satisfies Readonly<Record<Exclude<Line['event'], 'outcome'>, string>>,
  /** As the ledger names them. */
  outcomes: {
    applied: 'sent',
    attempted: 'sent, without an answer',
    unchanged: 'nothing new to send',
    skipped: 'not sent',
    rejected: 'gave up',
  } as Readonly<Record<string, string>>,
  /** Of a comparison. */
  fields: {
    state: 'state',
    amount: 'amount',
    coupon: 'coupon',
    value: 'value',
    type: 'type',
    it: 'sent',
  } as Readonly<Record<string, string>>,
};
