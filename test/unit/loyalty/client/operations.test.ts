import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { parse } from 'yaml';
import { createLoyaltyClient, type LoyaltyClient } from '../../../../shared/loyalty/client.ts';
import type { components } from '../../../../shared/loyalty/contract.gen.ts';
import { operationTable, type Page, type Value } from '../../../../shared/loyalty/operations.ts';
import { type ScriptedServer, startScriptedServer } from '../../../support/scripted-server.ts';

type Schemas = components['schemas'];

const credentials = { token: 'token-of-example', key: 'key-of-example' };
let server: ScriptedServer;
let client: LoyaltyClient;
beforeEach(async () => {
  server = await startScriptedServer();
  client = createLoyaltyClient({ baseUrl: server.url, credentials });
});
afterEach(() => server.stop());

const cancellation = { OrderCancelledDate: '2026-10-08T11:00:00Z', OrderStatus: null };
const calls: Record<keyof LoyaltyClient, { call: () => Promise<unknown>; wire: string }> = {
  updateProduct: {
    call: () => client.updateProduct('a/b', { Title: 'Shirt' }),
    wire: 'PUT /v1/pvt/Product/a%2Fb {"Title":"Shirt"}',
  },
  calculateProductPoints: {
    call: () => client.calculateProductPoints([{ Id: '1', Price: 2.5 }]),
    wire: 'POST /v1/pvt/Product/points [{"Id":"1","Price":2.5}]',
  },
  redeemReward: {
    call: () => client.redeemReward(7, { CustomerId: 'c 1' }),
    wire: 'POST /v1/pvt/RewardConfigurations/7/redeem {"CustomerId":"c 1"}',
  },
  sendOrder: {
    call: () => client.sendOrder({ OriginalId: '1' }),
    wire: 'POST /v1/pvt/POS/orders {"OriginalId":"1"}',
  },
  createCoupon: {
    call: () => client.createCoupon({ CouponCode: 'X' }),
    wire: 'POST /v1/pvt/Coupons {"CouponCode":"X"}',
  },
  changeCashback: {
    call: () => client.changeCashback('50%', { Value: 1, OperationType: 1, Reason: 'r' }),
    wire: 'POST /v1/pvt/Customer/50%25/cashback {"Value":1,"OperationType":1,"Reason":"r"}',
  },
  listTiers: {
    call: () => client.listTiers({ CustomerId: null }),
    wire: 'POST /v1/pvt/Tiers/available {"CustomerId":null}',
  },
  updateRewardMetadata: {
    call: () => client.updateRewardMetadata({ OriginalKey: 'k' }),
    wire: 'POST /v1/pvt/Rewards/updatemetadata {"OriginalKey":"k"}',
  },
  getRewardConfiguration: {
    call: () => client.getRewardConfiguration(7),
    wire: 'GET /v1/pvt/RewardConfigurations/7 ',
  },
  listQuizzes: {
    call: () => client.listQuizzes({ customerId: 'a&b=c 🎁' }),
    wire: 'GET /v1/pvt/Quiz/list?customerId=a%26b%3Dc%20%F0%9F%8E%81 ',
  },
  getCustomer: {
    call: () => client.getCustomer('..'),
    wire: 'GET /v1/pvt/Customer/%2E%2E ',
  },
  deactivateCoupon: {
    call: () => client.deactivateCoupon('10% OFF'),
    wire: 'POST /v1/pvt/Coupons/10%25%20OFF/inactive ',
  },
  cancelPosOrder: {
    call: () => client.cancelPosOrder('#1', cancellation),
    wire: `POST /v1/pvt/POS/orders/%231/cancel ${JSON.stringify(cancellation)}`,
  },
  listRewardConfigurations: {
    call: () => client.listRewardConfigurations({ IsActive: true, PageNumber: 2, PageSize: 50 }),
    wire: 'GET /v1/pvt/RewardConfigurations?IsActive=true&PageNumber=2&PageSize=50 ',
  },
  answerQuiz: {
    call: () => client.answerQuiz({ customerId: 'c' }, [{ QuizQuestionId: 1, OptionIds: [2] }]),
    wire: 'POST /v1/pvt/Quiz/answer?customerId=c [{"QuizQuestionId":1,"OptionIds":[2]}]',
  },
  cancelOrder: {
    call: () => client.cancelOrder('1?2', cancellation),
    wire: `POST /v1/pvt/Order/1%3F2/cancel ${JSON.stringify(cancellation)}`,
  },
  getOrder: { call: () => client.getOrder('1/2'), wire: 'GET /v1/pvt/Order/1%2F2 ' },
  completeOrder: {
    call: () => client.completeOrder('1', { OrderStatus: 'paid' }),
    wire: 'POST /v1/pvt/Order/1/complete {"OrderStatus":"paid"}',
  },
  partiallyCancelOrder: {
    call: () => client.partiallyCancelOrder('1', { ValueToRefund: 5, CancelKey: 'k' }),
    wire: 'POST /v1/pvt/Order/1/partialcancel {"ValueToRefund":5,"CancelKey":"k"}',
  },
  partiallyCancelPosOrder: {
    call: () => client.partiallyCancelPosOrder('1', { ValueToRefund: 5, CancelKey: 'k' }),
    wire: 'POST /v1/pvt/POS/1/partialcancel {"ValueToRefund":5,"CancelKey":"k"}',
  },
  listAvailableRewards: {
    call: () => client.listAvailableRewards({ CustomerId: 'a@example.com', PurchaseValue: 9 }),
    wire: 'POST /v1/pvt/POS/rewards/available {"CustomerId":"a@example.com","PurchaseValue":9}',
  },
  redeemRewardByKey: {
    call: () => client.redeemRewardByKey(3, { CustomerId: 'a@example.com', OriginalKey: 'k' }),
    wire: 'POST /v1/pvt/POS/rewards/3/redeem {"CustomerId":"a@example.com","OriginalKey":"k"}',
  },
  cancelRedemption: {
    call: () => client.cancelRedemption(12),
    wire: 'DELETE /v1/pvt/POS/rewards/12 ',
  },
  cancelRedemptionByKey: {
    call: () => client.cancelRedemptionByKey({ OriginalKey: 'a&b' }),
    wire: 'DELETE /v1/pvt/POS/rewards?OriginalKey=a%26b ',
  },
  startChallenge: {
    call: () => client.startChallenge('a@example.com', { TransactionId: 't', Phone: '+1 555' }),
    wire: 'POST /v1/pvt/POS/customers/a%40example.com/challenge {"TransactionId":"t","Phone":"+1 555"}',
  },
  validateChallenge: {
    call: () => client.validateChallenge('a@example.com', { TransactionId: 't', Code: '1234' }),
    wire: 'POST /v1/pvt/POS/customers/a%40example.com/challengevalidate {"TransactionId":"t","Code":"1234"}',
  },
  getRedeemedReward: {
    call: () => client.getRedeemedReward(12),
    wire: 'GET /v1/pvt/Rewards/12 ',
  },
  getCustomerPoints: {
    call: () => client.getCustomerPoints('7'),
    wire: 'GET /v1/pvt/Customer/7/points ',
  },
  changePoints: {
    call: () => client.changePoints('7', { Points: 5, Reason: 'r', ChangeKey: 'k' }),
    wire: 'POST /v1/pvt/Customer/7/points {"Points":5,"Reason":"r","ChangeKey":"k"}',
  },
  listPointsHistory: {
    call: () => client.listPointsHistory('7', { PageNumber: 2, PageSize: 50 }),
    wire: 'POST /v1/pvt/Customer/7/history?PageNumber=2&PageSize=50 ',
  },
  upsertCustomer: {
    call: () => client.upsertCustomer({ OriginalId: '7' }),
    wire: 'POST /v1/pvt/Customer/upsert {"OriginalId":"7"}',
  },
  changeCustomerStatus: {
    call: () => client.changeCustomerStatus('7', { IsEnabled: false, Reason: 'Asked' }),
    wire: 'POST /v1/pvt/Customer/7/changestatus {"IsEnabled":false,"Reason":"Asked"}',
  },
  getCoupon: { call: () => client.getCoupon('A B'), wire: 'GET /v1/pvt/Coupons/A%20B ' },
  listCustomersReport: {
    call: () => client.listCustomersReport({ isEnrolled: false, pageSize: 500 }),
    wire: 'GET /v1/pvt/Reports/ListCustomersReport?isEnrolled=false&pageSize=500 ',
  },
  listExpiringPoints: {
    call: () => client.listExpiringPoints({ to: '2026-10-23', pageNumber: 2 }),
    wire: 'GET /v1/pvt/Reports/ListExpirePointsNotification?to=2026-10-23&pageNumber=2 ',
  },
};

describe('the operations of the client', () => {
  it.each(Object.entries(calls))('sends %s as the contract says', async (_, { call, wire }) => {
    await call();
    const sent = server.received.map(({ method, url, body }) => `${method} ${url} ${body}`);
    expect(sent).toEqual([wire]);
  });

  it('knows every operation of the contract by its method and path', () => {
    const { paths } = parse(readFileSync('shared/loyalty/openapi.yaml', 'utf8')) as {
      paths: Record<string, Record<string, { operationId?: string }>>;
    };
    const inContract = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => [one.operationId, method.toUpperCase(), path]),
    );
    const inTable = Object.entries(operationTable).map(([id, one]) => [id, one.method, one.path]);
    expect(inTable.toSorted()).toEqual(inContract.toSorted());
  });

  it('gives each operation the types of the contract', () => {
    expectTypeOf<Parameters<LoyaltyClient['sendOrder']>[0]>().toEqualTypeOf<Schemas['Order']>();
    expectTypeOf<Value<'sendOrder'>>().toEqualTypeOf<Schemas['OrderResult']>();
    expectTypeOf<Value<'updateProduct'>>().toEqualTypeOf<Schemas['ProductResult']>();
    expectTypeOf<Value<'createCoupon'>>().toEqualTypeOf<Page<Schemas['CouponItem']>>();
    expectTypeOf<Value<'redeemReward'>>().toEqualTypeOf<Page<Schemas['RewardConfiguration']>>();
    expectTypeOf<Value<'listQuizzes'>>().toEqualTypeOf<Schemas['Quiz'][]>();
    expectTypeOf<Value<'calculateProductPoints'>>().toEqualTypeOf<Schemas['ProductPoints'][]>();
    expectTypeOf<Value<'listTiers'>>().toEqualTypeOf<Schemas['TierAvailability']>();
    expectTypeOf<Schemas['CashbackChange']['OperationType']>().toEqualTypeOf<0 | 1 | undefined>();
  });

  it('leaves out query parameters that are null or undefined', async () => {
    await client.listQuizzes({ customerId: null });
    await client.listQuizzes();
    await client.listRewardConfigurations({ IsActive: null, PageNumber: 0 });
    await client.answerQuiz(undefined, []);
    expect(server.received.map(({ url }) => url)).toEqual([
      '/v1/pvt/Quiz/list',
      '/v1/pvt/Quiz/list',
      '/v1/pvt/RewardConfigurations?PageNumber=0',
      '/v1/pvt/Quiz/answer',
    ]);
  });

  it.each(['', ' ', '\n\t', '\u00a0'])('never sends the blank id %j', async (id) => {
    const failure = { reason: 'blank-id', class: 'rejected', mayHaveHappened: false };
    expect(await client.updateProduct(id, {})).toMatchObject(failure);
    expect(await client.getCustomer(id)).toMatchObject(failure);
    expect(await client.cancelPosOrder(id, {})).toMatchObject(failure);
    expect(server.received).toEqual([]);
  });

  it('throws on an id that is not there, before anything is sent', async () => {
    const missing = undefined as unknown as string;
    const message = '/v1/pvt/Customer/{id}: id is missing';
    await expect(client.getCustomer(missing)).rejects.toThrow(message);
    expect(server.received).toEqual([]);
  });
});
