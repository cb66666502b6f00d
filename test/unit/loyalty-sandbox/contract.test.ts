import { describe, expect, it } from 'vitest';
import { contract } from '../../support/sandbox-program.ts';

describe('the contract at run time', () => {
  it('knows the 34 operations with their paths', () => {
    expect(contract.operations).toHaveLength(34);
    expect(contract.operations.find((o) => o.operationId === 'cancelPosOrder')).toMatchObject({
      method: 'POST',
      path: '/v1/pvt/POS/orders/{orderId}/cancel',
      pathParams: ['orderId'],
      takesBody: true,
    });
    expect(contract.operations.find((o) => o.operationId === 'deactivateCoupon')).toMatchObject({
      takesBody: false,
    });
  });

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
