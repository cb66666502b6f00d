import { describe, expect, it } from 'vitest';
import {
  balanceOf,
  codeOf,
  makeCustomer,
  makeOrder,
  openSandbox,
  openSandboxWithPoints,
} from '../../support/sandbox-program.ts';

const change = (changes: object = {}) => ({
  Value: 5.5,
  OperationType: 0,
  Reason: 'Correction',
  ChangeKey: 'k1',
  ...changes,
});
const path = { id: 'c1' };

describe('changeCashback', () => {
  it('adds to the balance once, as points and as cashback', () => {
    const sandbox = openSandboxWithPoints(100);
    const { Result } = sandbox.call('changeCashback', { path, body: change() });
    expect(Result).toMatchObject({
      CustomerExists: true,
      InternalId: '1',
      PointsBalance: 210,
      CashbackBalance: 10.5,
      RedeemKey: 'k1',
      PointsToExpire: [],
      PointHistory: [
        { Id: 1, Amount: 100, CashbackAmount: 5 },
        { Id: 2, Amount: 110, CashbackAmount: 5.5 },
      ],
      Name: 'Robin Sample',
      Error: '',
    });
    expect(sandbox.takeEvents()).toMatchObject([
      { topic: 'Point_Add', payload: { Points: 110, Cashback: 5.5, PointType: 2, Origins: [] } },
    ]);
    expect(codeOf(sandbox.call('changeCashback', { path, body: change() }))).toBe(66);
  });

  it('removes from the oldest points first', () => {
    const sandbox = openSandboxWithPoints(100);
    sandbox.call('sendOrder', { body: makeOrder({ OrderTotal: 60 }) });
    sandbox.takeEvents();
    const body = change({ OperationType: 1, Value: -6 });
    const { Result } = sandbox.call('changeCashback', { path, body });
    expect(Result).toMatchObject({ PointsBalance: 40, CashbackBalance: 2 });
    expect(sandbox.takeEvents()).toMatchObject([
      {
        topic: 'Point_Removed',
        payload: {
          Points: -120,
          Cashback: -6,
          ValidDate: null,
          ValidDateFormatted: '',
          Origins: [
            { PointId: 1, UsedPoints: 100, UsedCashback: 5 },
            { PointId: 2, UsedPoints: 20, UsedCashback: 1 },
          ],
        },
      },
    ]);
  });

  it('adds with type 0 and a value above zero, removes with type 1 and one below zero', () => {
    const sandbox = openSandboxWithPoints(100);
    const changed = (body: object) => codeOf(sandbox.call('changeCashback', { path, body }));
    expect(changed(change({ Value: -1 }))).toBe(62);
    expect(changed(change({ OperationType: 1, Value: 1 }))).toBe(63);
    expect(changed(change({ OperationType: 0, Value: 1 }))).toBeUndefined();
    expect(balanceOf(sandbox).cashback).toBe(6);
    expect(changed(change({ OperationType: 1, Value: -2, ChangeKey: 'k2' }))).toBeUndefined();
    expect(balanceOf(sandbox).cashback).toBe(4);
  });

  it.each([
    ['the customer is unknown', change(), 59, 'c2'],
    ['there is no key', change({ ChangeKey: undefined }), 65, 'c1'],
    ['the key is null', change({ ChangeKey: null }), 65, 'c1'],
    ['the key is blank', change({ ChangeKey: ' ' }), 65, 'c1'],
    ['there is no body', undefined, 65, 'c1'],
    ['there is no reason', change({ Reason: undefined }), 67, 'c1'],
    ['the reason is blank', change({ Reason: '\t' }), 67, 'c1'],
    ['there is no value', change({ Value: undefined }), 7, 'c1'],
    ['the value is a word', change({ Value: '5' }), 7, 'c1'],
    ['the value cannot be counted exactly', change({ Value: 1e300 }), 7, 'c1'],
    ['the type is missing', change({ OperationType: undefined }), 7, 'c1'],
    ['the type is 2', change({ OperationType: 2 }), 7, 'c1'],
    ['the value is zero', change({ Value: 0 }), 64, 'c1'],
    ['the value is below a hundredth', change({ Value: 0.009 }), 64, 'c1'],
    ['less than nothing is to be added', change({ Value: -1 }), 62, 'c1'],
    ['less than nothing is to be removed', change({ Value: 1, OperationType: 1 }), 63, 'c1'],
    ['more than the balance is to go', change({ Value: -5.01, OperationType: 1 }), 70, 'c1'],
  ])('refuses when %s', (_, body, code, id) => {
    const sandbox = openSandboxWithPoints(100);
    expect(codeOf(sandbox.call('changeCashback', { path: { id }, body }))).toBe(code);
    expect(codeOf(sandbox.callUnchecked('changeCashback', { path: { id }, body }))).toBe(code);
  });

  it('never takes a key twice, not even for another customer', () => {
    const sandbox = openSandboxWithPoints(100);
    const Customer = makeCustomer({ OriginalId: 'c2' });
    sandbox.call('sendOrder', { body: makeOrder({ Customer }) });
    sandbox.call('changeCashback', { path, body: change() });
    const again = sandbox.call('changeCashback', { path: { id: 'c2' }, body: change() });
    expect(codeOf(again)).toBe(66);
  });

  it('does not use up the key of a refused change', () => {
    const sandbox = openSandboxWithPoints(100);
    sandbox.call('changeCashback', { path, body: change({ Value: 0 }) });
    expect(codeOf(sandbox.call('changeCashback', { path, body: change() }))).toBeUndefined();
  });

  it('refuses who is not enrolled', () => {
    const sandbox = openSandbox();
    const Customer = makeCustomer({ IsEnrolled: false });
    sandbox.call('sendOrder', { body: makeOrder({ Customer }) });
    expect(codeOf(sandbox.call('changeCashback', { path, body: change() }))).toBe(69);
  });

  it('takes the whole balance, and leaves neither points nor cashback', () => {
    const sandbox = openSandboxWithPoints(33.33);
    const body = change({ OperationType: 1, Value: -balanceOf(sandbox).cashback });
    expect(codeOf(sandbox.call('changeCashback', { path, body }))).toBeUndefined();
    expect(balanceOf(sandbox)).toEqual({ points: 0, cashback: 0 });
  });

  it('takes away cashback that is worth less than a hundredth of a point', () => {
    const sandbox = openSandboxWithPoints(0.01, { settings: { cashbackPerPoint: 100 } });
    const Value = 0.5;
    for (let i = 0; i < 10; i++) {
      sandbox.call('changeCashback', { path, body: change({ Value, ChangeKey: `add-${i}` }) });
    }
    expect(balanceOf(sandbox)).toEqual({ points: 0.01, cashback: 6 });
    const body = change({ OperationType: 1, Value: -3 });
    expect(sandbox.call('changeCashback', { path, body }).Result).toMatchObject({
      CashbackBalance: 3,
    });
    expect(balanceOf(sandbox).cashback).toBe(3);
  });

  it('names the branch of an order in the history', () => {
    const sandbox = openSandbox();
    const Branch = { OriginalId: '71', Name: 'Harbour Street' };
    sandbox.call('sendOrder', { body: makeOrder({ Branch }) });
    const { Result } = sandbox.call('changeCashback', { path, body: change() });
    expect(Result?.PointHistory?.[0]).toMatchObject({
      BranchId: '71',
      BranchName: 'Harbour Street',
    });
  });
});

describe('changePoints', () => {
  const points = ({ Value: _, ...rest } = change(), more: object = {}) => ({
    ...rest,
    Points: 40,
    ...more,
  });
  const ask = (sandbox: ReturnType<typeof openSandbox>, body: object) =>
    sandbox.call('changePoints', { path, body });

  it('adds and removes whole points, with what they are worth as cashback', () => {
    const sandbox = openSandboxWithPoints(100);
    expect(ask(sandbox, points()).Result).toMatchObject({
      PointsBalance: 140,
      CashbackBalance: 7,
    });
    const removal = points(change({ OperationType: 1, ChangeKey: 'k2' }), { Points: -120 });
    expect(ask(sandbox, removal).Result).toMatchObject({ PointsBalance: 20, CashbackBalance: 1 });
    expect(sandbox.takeEvents()).toMatchObject([
      { topic: 'Point_Add', payload: { Points: 40, Cashback: 2 } },
      { topic: 'Point_Removed', payload: { Points: -120, Cashback: -6 } },
    ]);
  });

  it('has the rules of a cashback change: key, reason, sign and balance; and parts of a point are none', () => {
    const sandbox = openSandboxWithPoints(100);
    const code = (more: object) => codeOf(ask(sandbox, points(change(), more)));
    expect(code({ Points: 1.5 })).toBe(7);
    expect(code({ ChangeKey: undefined })).toBe(65);
    expect(code({ Reason: ' ' })).toBe(67);
    expect(code({ Points: 0 })).toBe(64);
    expect(code({ Points: -1 })).toBe(62);
    expect(code({ OperationType: 1 })).toBe(63);
    expect(code({ OperationType: 1, Points: -101 })).toBe(70);
    expect(code({})).toBeUndefined();
    expect(codeOf(sandbox.call('changeCashback', { path, body: change() }))).toBe(66);
  });

  it('tells the customer CustomerReason without its HTML, and never Reason', () => {
    const sandbox = openSandboxWithPoints(100);
    const told = { Reason: 'Complaint 12', CustomerReason: '<b>A gift</b> from us' };
    ask(sandbox, points(change(), told));
    const history = sandbox.call('listPointsHistory', { path });
    expect(history.Items?.[0]?.Title).toBe('A gift from us');
    expect(JSON.stringify(history)).not.toContain('Complaint');
    expect(codeOf(ask(sandbox, points(change(), { CustomerReason: 'x'.repeat(256) })))).toBe(66);
    const long = { CustomerReason: 'x'.repeat(256), ChangeKey: 'k2' };
    expect(codeOf(ask(sandbox, points(change(), long)))).toBe(7);
  });
});
