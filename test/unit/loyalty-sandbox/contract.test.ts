import { describe, expect, it } from 'vitest';
import { defaultSettings, readSettings } from '../../../local/loyalty-sandbox/settings.ts';
import { contract } from '../../support/sandbox-program.ts';

describe('the contract at run time', () => {
  it('says where a request is wrong, never with what', () => {
    const body = {
      OriginalId: 'o1',
      OrderPlacementDate: 'at 12-secret',
      Customer: { Email: 4711 },
      Products: [{}, { Title: null }],
    };
    expect(contract.validateRequest('sendOrder', body)).toEqual([
      { path: 'OrderPlacementDate', problem: 'must match format "date-time"' },
      { path: 'Customer.Email', problem: 'must be string' },
      { path: 'Products[1].Title', problem: 'must be string' },
    ]);
    expect(contract.validateRequest('changeCashback', {})).toEqual([
      { path: 'Reason', problem: 'is required' },
    ]);
    expect(contract.validateRequest('updateProduct', { Colour: 'blue' })).toEqual([
      { path: 'Colour', problem: 'is not a property of the contract' },
    ]);
    expect(contract.validateRequest('answerQuiz', [{ QuizQuestionId: 2 ** 31 }])).toHaveLength(1);
  });

  it('survives bodies as deep as a parser lets them be', () => {
    let body: unknown = {};
    for (let i = 0; i < 100_000; i++) body = { ParentCategory: body };
    for (const { operationId, takesBody } of contract.operations) {
      const faults = contract.validateRequest(operationId, { ProductCategory: body });
      expect(faults).toEqual(takesBody ? [{ path: '', problem: 'is nested too deeply' }] : []);
    }
  });

  it('recognizes an answer that does not fit the contract', () => {
    const warning = { Severity: 1, HasWarning: false, HasError: false };
    expect(contract.validateAnswer('updateProduct', warning)).not.toEqual([]);
    expect(contract.validateAnswer('sendOrder', { HasError: true, ErrorCode: 121 })).not.toEqual(
      [],
    );
    expect(contract.validatePointEvent({ Points: 1 })).not.toEqual([]);
  });
});

describe('the settings of the sandbox', () => {
  it('have defaults, part by part', () => {
    expect(readSettings(defaultSettings)).toEqual({ kind: 'read', settings: defaultSettings });
    expect(readSettings({ credentials: { key: 'k' }, rateLimit: { perSecond: 5 } })).toEqual({
      kind: 'read',
      settings: {
        ...defaultSettings,
        credentials: { token: 'sandbox-token', key: 'k' },
        rateLimit: { perSecond: 5, answer: 'http-429' },
      },
    });
  });

  it('are refused with all their faults at once, by name', () => {
    expect(
      readSettings({
        credentials: { token: 'a:b', key: '', secret: 'x' },
        pointsPerUnit: -1,
        error13: 'sometimes',
        rateLimit: 'off',
        lateCancel: 'yes',
      }),
    ).toEqual({
      kind: 'faulty',
      faults: [
        'credentials.token must not be empty or contain a colon',
        'credentials.key must not be empty',
        'credentials.secret is not a setting',
        'rateLimit must be an object',
        'pointsPerUnit must be a number from 0 to 100',
        'error13 must be both-flags or cancel-completed or return-completed or never',
        'lateCancel must be true or false',
      ],
    });
  });
});
