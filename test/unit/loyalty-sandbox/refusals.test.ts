import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import {
  type Asked,
  codeOf,
  makeCustomer,
  makeOrder,
  openSandboxWithPoints,
} from '../../support/sandbox-program.ts';

type Refusal = readonly [what: string, body: unknown, code: number, where?: Asked];

/** Each is refused by the program itself, too, and not only by the check of the request against the contract. */
function refuses(operation: OperationId, rows: readonly Refusal[], given: Asked = {}): void {
  describe(`${operation} refuses`, () => {
    for (const [what, body, code, where = {}] of rows) {
      it.each(['call', 'callUnchecked'] as const)(`${what} (%s)`, (ask) => {
        const asked = { ...given, ...where, body };
        expect(codeOf(openWithOrders()[ask](operation, asked))).toBe(code);
      });
    }
  });
}

/** A customer with 199.99 points, an open order `open` and one of a customer who takes no part. */
function openWithOrders() {
  const sandbox = openSandboxWithPoints(199.99);
  const open = { OriginalId: 'open', IsCompleted: false, OrderCompletedDate: null };
  sandbox.call('sendOrder', { body: makeOrder(open) });
  const Customer = makeCustomer({ OriginalId: 'left', IsEnrolled: false, Email: 'a@example.com' });
  sandbox.call('sendOrder', { body: makeOrder({ OriginalId: 'o2', Customer }) });
  return sandbox;
}

const BEFORE = '2026-10-05T08:59:59Z';

refuses('sendOrder', [
  ['no OriginalId', makeOrder({ OriginalId: null }), 39],
  ['a blank OriginalId', makeOrder({ OriginalId: '  ' }), 39],
  ['no body', undefined, 39],
  ['a list', [], 39],
  ['a completion without its date', makeOrder({ OrderCompletedDate: null }), 11],
  ['a completion before the placement', makeOrder({ OrderCompletedDate: BEFORE }), 12],
  [
    'a completion before the placement, by its offset from UTC',
    makeOrder({ OrderCompletedDate: '2026-10-05T09:00:01+01:00' }),
    12,
  ],
  ['a cancellation without its date', makeOrder({ IsCancelledOrReturned: true }), 14],
  [
    'a cancellation before the placement',
    makeOrder({ IsCancelledOrReturned: true, OrderCancelledDate: BEFORE }),
    15,
  ],
  ['no customer', makeOrder({ Customer: undefined }), 36],
  ['no total', makeOrder({ OrderTotal: undefined }), 36],
  ['a total below zero', makeOrder({ OrderTotal: -0.01 }), 36],
  ['a total that cannot be counted exactly', makeOrder({ OrderTotal: 1e15 }), 36],
  ['a date that does not exist', makeOrder({ OrderPlacementDate: '2026-02-30T00:00:00Z' }), 36],
  ['a product that is a word', makeOrder({ Products: ['shirt'] }), 36],
  ['a flag that is a word', makeOrder({ IsCompleted: 'yes' }), 36],
  ['a customer without an id', makeOrder({ Customer: makeCustomer({ OriginalId: ' ' }) }), 39],
  ['a customer without contact', makeOrder({ Customer: { OriginalId: 'c2', Email: ' ' } }), 50],
  [
    'a new customer with a number as e-mail',
    makeOrder({ Customer: makeCustomer({ OriginalId: 'c2', Email: 5 }) }),
    40,
  ],
  [
    'a known customer with an object as name',
    makeOrder({ Customer: makeCustomer({ Name: {} }) }),
    41,
  ],
]);

const cancellation = { OrderCancelledDate: '2026-10-07T09:00:00Z', OrderStatus: 'cancelled' };
refuses(
  'cancelPosOrder',
  [
    ['an unknown order', cancellation, 37, { path: { orderId: 'unknown' } }],
    ['no date', {}, 14],
    ['no body', undefined, 14],
    ['a date before the placement', { OrderCancelledDate: BEFORE }, 15],
    ['a date that cannot be read', { OrderCancelledDate: 'now' }, 36],
    ['a status that is a number', { ...cancellation, OrderStatus: 4 }, 36],
  ],
  { path: { orderId: 'open' } },
);

const changeOf = (id: string) => ({ path: { id } });

const coupon = (changes: object = {}) => ({
  ...{ OriginalId: 'k1', CouponCode: 'AUTUMN10', CouponType: 1, CouponValue: 10 },
  ...{ ValidDateStart: '2026-10-01T00:00:00Z', CustomerId: 'c1', ...changes },
});
refuses('createCoupon', [
  ['a blank OriginalId', coupon({ OriginalId: '' }), 39],
  ['no body', undefined, 39],
  ['no code', coupon({ CouponCode: undefined }), 56],
  ['an unknown type', coupon({ CouponType: 5 }), 56],
  ['a value below zero', coupon({ CouponValue: -1 }), 56],
  ['an end before its start', coupon({ ValidDateEnd: '2026-09-30T00:00:00Z' }), 56],
  ['two customers', coupon({ CustomerId: 'c9', Customer: makeCustomer() }), 56],
  ['an unknown customer', coupon({ CustomerId: 'c9' }), 55],
]);
refuses('deactivateCoupon', [['an unknown code', undefined, 57, { path: { code: 'NONE' } }]]);

const product = (changes: object = {}) => ({ OriginalId: 'p1', Title: 'Linen shirt', ...changes });
refuses(
  'updateProduct',
  [
    ['no OriginalId', product({ OriginalId: null }), 39],
    ['another product', product({ OriginalId: 'p2' }), 38],
    ['further properties', product({ Colour: 'blue' }), 38],
    ['no body', undefined, 38],
    ['a price below zero', product({ ProductPrice: -1 }), 38],
    ['a category that is a word', product({ ProductCategory: { ParentCategory: 'x' } }), 38],
  ],
  changeOf('p1'),
);

refuses(
  'getRewardConfiguration',
  ['99', '0', 'x', '1e0', '99999999999'].map((id) => [`reward ${id}`, undefined, 44, changeOf(id)]),
);
const redemption = (CustomerId: string) => ({ CustomerId, OriginalKey: 'k' });
refuses(
  'redeemRewardByKey',
  [
    ['an unknown customer', redemption('c9'), 46],
    ['a blank customer', redemption(' '), 46],
    ['an unknown reward', redemption('c1'), 87, changeOf('99')],
    ['a reward that is off', redemption('c1'), 47, changeOf('7')],
    ['a reward whose season is over', redemption('c1'), 47, changeOf('6')],
    ['a reward of a higher tier', redemption('c1'), 47, changeOf('5')],
    ['a reward that costs more than the balance', redemption('c1'), 94, changeOf('2')],
    ['a customer who takes no part', redemption('left'), 47],
  ],
  changeOf('1'),
);
refuses('updateRewardMetadata', [
  ['no key', {}, 7],
  ['an unknown key', { OriginalKey: 'redeem-99' }, 87],
]);

refuses(
  'startChallenge',
  [
    ['no TransactionId', undefined, 7],
    ['a blank TransactionId', { TransactionId: ' ' }, 7],
    ['an unknown customer', { TransactionId: 'sale-1' }, 59, changeOf('c9')],
  ],
  changeOf('c1'),
);

const answers = [
  { QuizQuestionId: 11, OpenAnswer: null, OptionIds: [101, 103] },
  { QuizQuestionId: 12, OpenAnswer: 'The blue one', OptionIds: null },
];
refuses(
  'answerQuiz',
  [
    ['an unknown customer', answers, 59, { query: { customerId: 'c9' } }],
    ['no customer', answers, 59, { query: {} }],
    ['an unknown question', [{ QuizQuestionId: 99 }], 105],
    ['no answers', [], 105],
    ['an unknown option', [{ QuizQuestionId: 11, OptionIds: [201] }, answers[1]], 105],
    ['a choice without an option', [{ QuizQuestionId: 11, OptionIds: [] }, answers[1]], 106],
    ['too many options', [{ QuizQuestionId: 11, OptionIds: [101, 102, 103] }, answers[1]], 107],
    ['too many answers', [...answers, answers[1]], 108],
    ['no body', undefined, 7],
  ],
  { query: { customerId: 'c1' } },
);
refuses('changeCustomerStatus', [
  ['a blank reason', { IsEnabled: false, Reason: ' ' }, 67, { path: { originalId: 'c1' } }],
]);
refuses('listCustomersReport', [['the page 0', undefined, 45, { query: { pageNumber: '0' } }]]);
refuses('listQuizzes', [['an unknown customer', undefined, 59, { query: { customerId: 'c9' } }]]);
refuses('listTiers', [
  ['an unknown customer', { CustomerId: 'c9' }, 59],
  ['a customer that is a number', { CustomerId: 5 }, 7],
]);
refuses('getCustomer', [
  ['an unknown customer', undefined, 59, changeOf('c9')],
  ['a customer named like a part of every object', undefined, 59, changeOf('__proto__')],
]);
refuses('listRewardConfigurations', [
  ...['51', '0', 'ten', '1.5', ' 5'].map(
    (PageSize): Refusal => [`pages of ${PageSize}`, undefined, 45, { query: { PageSize } }],
  ),
  ['the page 0', undefined, 45, { query: { PageNumber: '0' } }],
  ['an IsActive that is no flag', undefined, 43, { query: { IsActive: 'maybe' } }],
]);
