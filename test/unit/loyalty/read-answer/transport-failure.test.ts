import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../../../shared/loyalty/operations.ts';
import { pageOf, read, tiers } from '../../../support/read-answer.ts';

describe('a status', () => {
  it.each([
    [301, 'misconfigured', 'misconfigured', true],
    [303, 'misconfigured', 'misconfigured', true],
    [400, 'refused', 'rejected', false],
    [401, 'misconfigured', 'misconfigured', false],
    [403, 'forbidden', 'misconfigured', false],
    [404, 'not-found', 'retry', false],
    [408, 'unavailable', 'retry', true],
    [413, 'refused', 'rejected', false],
    [422, 'refused', 'rejected', false],
    [429, 'throttled', 'throttled', false],
    [500, 'unavailable', 'retry', true],
    [503, 'unavailable', 'retry', true],
    [999, 'not-the-contract', 'retry', true],
  ])('of %d is %s, class %s, may have happened: %s', (status, reason, errorClass, may) => {
    // A body of a success does not change that.
    const result = read('sendOrder', { HasError: false, Result: {} }, { status });
    const failure = { reason, class: errorClass, mayHaveHappened: may, status };
    expect(result).toMatchObject({ kind: 'transport-failure', ...failure });
  });

  it.each([
    ['120', 120],
    ['0', 0],
    ['Thu, 08 Oct 2026 12:01:00 GMT', 60],
    ['Thu, 08 Oct 2026 11:00:00 GMT', 0],
    ['99999999999999999999', 86_400],
    ['Fri, 08 Oct 2100 12:00:00 GMT', 86_400],
  ])('with Retry-After %s says to wait %d seconds', (header, seconds) => {
    for (const status of [429, 503]) {
      const result = read('sendOrder', '', { status, headers: { 'retry-after': header } });
      expect(result).toMatchObject({ retryAfterSeconds: seconds });
    }
  });

  it.each(['', 'soon', '-5', '1.5', '1e3', 'x GMT', '2026-10-08'])(
    'with Retry-After %j says nothing about waiting',
    (header) => {
      const result = read('sendOrder', '', { status: 429, headers: { 'retry-after': header } });
      expect(result).not.toHaveProperty('retryAfterSeconds');
    },
  );
});

describe('a body outside the contract', () => {
  const valid = { HasError: false, Result: { Id: 1 } };
  const ofOtherKey = { RewardId: 1, OriginalKey: 'other' };
  it.each<[string, OperationId, unknown]>([
    ['empty', 'sendOrder', ''],
    ['HTML', 'sendOrder', '<html><body>robin.sample@example.com</body></html>'],
    ['truncated JSON', 'sendOrder', JSON.stringify(valid).slice(0, -1)],
    ['an array', 'sendOrder', [valid]],
    ['a string', 'sendOrder', JSON.stringify('ok')],
    ['null', 'sendOrder', null],
    ['without HasError', 'sendOrder', { Result: { Id: 1 } }],
    ['HasError of another type', 'sendOrder', { ...valid, HasError: 'false' }],
    ['without Result', 'sendOrder', { HasError: false }],
    ['with a null Result', 'sendOrder', { HasError: false, Result: null }],
    ['with a list for Result', 'sendOrder', { HasError: false, Result: [{}] }],
    ['with an object for a list', 'calculateProductPoints', valid],
    ['with no list', 'calculateProductPoints', { HasError: false, Result: null }],
    ['with a list of numbers', 'listQuizzes', { HasError: false, Result: [1] }],
    ['with a text for a product', 'updateProduct', { HasError: false, Result: 'ok' }],
    ['with a severity beyond 2', 'updateProduct', { ...valid, Severity: 3 }],
    ['with a severity in words', 'updateProduct', { ...valid, Severity: 'Warning' }],
    ['a page without items', 'createCoupon', { ...pageOf(undefined), HasError: false }],
    ['a page without HasError', 'createCoupon', pageOf([])],
    ['an unnumbered page', 'createCoupon', { ...pageOf([]), HasError: false, PageSize: '9' }],
    ['a page that hides the next', 'redeemReward', { ...pageOf([]), HasNextPage: null }],
    ['a redemption with an odd HasError', 'redeemReward', { ...pageOf([]), HasError: 0 }],
    ['tiers whose current one is no object', 'listTiers', { ...tiers, CurrentTier: 1 }],
    ['tiers without a list', 'listTiers', { ...tiers, AllTiers: undefined }],
    ['an empty envelope where tiers are due', 'listTiers', { HasError: false, Result: null }],
    ['points that do not say that the customer exists', 'getCustomerPoints', { PointsBalance: 5 }],
    ['a cashback change that does not say so', 'changeCashback', { HasError: false, Result: {} }],
    ['an order without an id', 'getOrder', { OrderTotal: 5 }],
    ['a redeemed reward without its state', 'getRedeemedReward', { Id: 5 }],
    ['a redemption without its id', 'redeemRewardByKey', { HasError: false, Result: {} }],
    ['a redemption of another key', 'redeemRewardByKey', { HasError: false, Result: ofOtherKey }],
    ['available rewards without a list', 'listAvailableRewards', { HasRewards: true }],
    ['a challenge without its outcome', 'validateChallenge', { Message: 'Well' }],
  ])('%s: retried and not quoted', (_, operation, body) => {
    const result = read(operation, body);
    const failure = { reason: 'not-the-contract', class: 'retry', mayHaveHappened: true };
    expect(result).toMatchObject({ kind: 'transport-failure', ...failure, status: 200 });
    expect(JSON.stringify(result)).not.toContain('robin');
  });

  it('is described by its size and type', () => {
    const page = read('sendOrder', '<html>é</html>', { headers: { 'content-type': 'text/html' } });
    const message = 'HTTP 200 with 15 bytes of text/html: not a JSON object.';
    expect(page).toMatchObject({ message });
    const headers = { 'content-type': 'text/robin-sample' };
    const odd = read('sendOrder', 'x', { headers, hidden: ['Robin-Sample'] });
    expect(odd).toMatchObject({ message: 'HTTP 200 with 1 bytes of text/***: not a JSON object.' });
    const empty = read('sendOrder', ' ', { status: 204, headers: {} });
    expect(empty).toMatchObject({ message: 'HTTP 204 with 1 bytes of no stated type: empty.' });
  });
});
