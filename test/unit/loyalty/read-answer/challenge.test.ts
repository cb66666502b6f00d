import { describe, expect, it } from 'vitest';
import { read } from '../../../support/read-answer.ts';

const PIN = '4711';
const input = { body: { TransactionId: 'sale-1', Code: PIN } };

describe('the answer of a challenge', () => {
  it.each([
    ['bare', { Success: true, Code: PIN }],
    ['in envelope B', { HasError: false, Result: { Success: true, Code: PIN } }],
    ['with a warning', { HasError: false, Severity: 1, Code: PIN, Result: { Success: true } }],
    ['not sent', { Success: false, ErrorMessage: 'No SMS', Code: PIN }],
    ['as an error', { HasError: true, Severity: 2, Code: PIN, ErrorMessage: 'Sorry' }],
    ['as nothing that is known', { Code: PIN, Something: { Code: PIN } }],
  ])('never brings the PIN: %s', (_, body) => {
    for (const operation of ['startChallenge', 'validateChallenge'] as const) {
      expect(JSON.stringify(read(operation, body, { input: { body: {} } }))).not.toContain(PIN);
    }
  });

  it('that asks for a phone number is a value, with an ErrorMessage beside it', () => {
    const body = {
      Success: false,
      ErrorMessage: 'No phone',
      FriendlyErrorMessage: 'Ask for it',
      ShouldInformPhone: true,
      Code: null,
    };
    expect(read('startChallenge', body)).toMatchObject({
      kind: 'success',
      value: { Success: false, ShouldInformPhone: true, FriendlyErrorMessage: 'Ask for it' },
    });
  });

  it('is no success beside an ErrorMessage', () => {
    const body = { Success: true, ErrorMessage: 'The PIN could not be checked' };
    expect(read('validateChallenge', body, { input })).toMatchObject({ kind: 'business-error' });
  });

  it('is no success under another TransactionId', () => {
    const validate = (TransactionId: string | null, Success = true) =>
      read('validateChallenge', { Success, TransactionId }, { input });
    expect(validate('sale-1')).toMatchObject({ kind: 'success', value: { Success: true } });
    expect(validate(null)).toMatchObject({ kind: 'success', value: { Success: true } });
    expect(validate('sale-2')).toMatchObject({ reason: 'not-the-contract' });
    expect(validate('sale-2', false)).toMatchObject({ value: { Success: false } });
  });
});
