import { describe, expect, it } from 'vitest';
import { codeOf, makeCustomer, makeOrder, openSandbox } from '../../support/sandbox-program.ts';

const send = (sandbox: ReturnType<typeof openSandbox>, customer: object, orderId = 'o1') =>
  sandbox.call('sendOrder', { body: makeOrder({ OriginalId: orderId, Customer: customer }) });
const read = (sandbox: ReturnType<typeof openSandbox>, id = 'c1') =>
  sandbox.call('getCustomer', { path: { id } });

describe('a customer in an order', () => {
  it.each([
    ['no OriginalId', makeCustomer({ OriginalId: ' ' }), 39],
    ['neither document nor e-mail', { OriginalId: 'c1', Email: ' ', Document: '' }, 50],
    ['an e-mail that is no string', makeCustomer({ Email: 5 }), 40],
    ['a birthday that is no date', makeCustomer({ BirthdayDate: '1 April' }), 40],
  ])('is refused with %s', (_, customer, code) => {
    const sandbox = openSandbox();
    expect(codeOf(send(sandbox, customer))).toBe(code);
    expect(sandbox.tables.orders.size).toBe(0);
  });

  it('is refused as an update once it is known', () => {
    const sandbox = openSandbox();
    send(sandbox, makeCustomer());
    expect(codeOf(send(sandbox, makeCustomer({ Name: {} })))).toBe(41);
  });

  it('keeps what a later order leaves out', () => {
    const sandbox = openSandbox();
    send(sandbox, makeCustomer({ Phone: '+15555550100', Document: 'A-1' }));
    expect(codeOf(send(sandbox, { OriginalId: 'c1', Name: 'Robin Other' }, 'o2'))).toBeUndefined();
    expect(read(sandbox).Result).toMatchObject({
      Name: 'Robin Other',
      Email: 'robin.sample@example.com',
      Phone: '+15555550100',
      Document: 'A-1',
      IsEnrolled: true,
    });
  });

  it('may come without contact data where the settings say so', () => {
    const sandbox = openSandbox({ settings: { requireDocumentOrEmail: false } });
    expect(codeOf(send(sandbox, { OriginalId: 'c1' }))).toBeUndefined();
  });

  it('is enrolled or not by default, as the settings say', () => {
    for (const enrolledByDefault of [true, false]) {
      const sandbox = openSandbox({ settings: { enrolledByDefault } });
      send(sandbox, makeCustomer({ IsEnrolled: null }));
      expect(codeOf(read(sandbox))).toBe(59);
      const { IsEnrolled: _, ...silent } = makeCustomer();
      send(sandbox, silent);
      expect(read(sandbox).Result?.IsEnrolled).toBe(enrolledByDefault);
    }
  });

  it.each([
    ['documentAlphanumericOnly', { Document: 'A-1' }, { OriginalId: 'c2', Document: 'B-2' }, 51],
    ['uniqueEmail', {}, { OriginalId: 'c2', Email: 'ROBIN.sample@example.com' }, 118],
    ['uniqueDocument', { Document: 'a1' }, { OriginalId: 'c2', Document: 'A1' }, 119],
    [
      'birthdayIsFinal',
      { BirthdayDate: '1990-04-01T00:00:00Z' },
      { BirthdayDate: '1990-04-02T00:00:00Z' },
      72,
    ],
  ])('is held to %s only when it is set', (setting, first, second, code) => {
    for (const isSet of [true, false]) {
      const sandbox = openSandbox({ settings: { [setting]: isSet } });
      // The first one breaks no rule but that of the document's characters.
      sandbox.call('sendOrder', { body: makeOrder({ Customer: makeCustomer(first) }) });
      const answer = send(sandbox, makeCustomer(second), 'o2');
      expect(codeOf(answer)).toBe(isSet ? code : undefined);
    }
  });

  it('keeps its own e-mail under uniqueEmail, and the same instant as birthday', () => {
    const sandbox = openSandbox({ settings: { uniqueEmail: true, birthdayIsFinal: true } });
    send(sandbox, makeCustomer({ BirthdayDate: '1990-04-01T00:00:00Z' }));
    const again = makeCustomer({ BirthdayDate: '1990-04-01T02:00:00+02:00' });
    expect(codeOf(send(sandbox, again))).toBeUndefined();
  });
});

describe('getCustomer', () => {
  it('says 59 for who never came', () => {
    expect(codeOf(read(openSandbox()))).toBe(59);
    expect(codeOf(read(openSandbox(), '__proto__'))).toBe(59);
  });

  it('agrees with listTiers about the tier', () => {
    const sandbox = openSandbox();
    for (const id of ['a', 'b', 'c']) {
      sandbox.call('sendOrder', { body: makeOrder({ OriginalId: id, OrderTotal: 200 }) });
    }
    expect(read(sandbox).Result).toEqual({
      OriginalId: 'c1',
      PublicId: expect.any(String),
      Name: 'Robin Sample',
      Email: 'robin.sample@example.com',
      IsEnrolled: true,
      ReferralURL: null,
      WhatsappReferralUrl: null,
      CurrentTier: { Name: 'Silver', Color: expect.any(String), IconUrl: expect.any(String) },
    });
    const tiers = sandbox.call('listTiers', { body: { CustomerId: 'c1' } });
    expect(tiers).toMatchObject({ CurrentTier: { Name: 'Silver' } });
  });

  it('takes ids of any characters', () => {
    const sandbox = openSandbox();
    for (const id of ['a/b', '%2F', 'é 🎈', '__proto__', 'constructor']) {
      send(sandbox, makeCustomer({ OriginalId: id }), id);
      expect(read(sandbox, id).Result?.OriginalId).toBe(id);
    }
  });
});
