import type { Fields } from '../../support/outside-line.ts';

/** A refusal in the forms that the service documents. */
export const refusals: readonly (readonly [string, { answer: unknown; status?: number }])[] = [
  ['by number', { answer: refusal({ ErrorCode: 94, ErrorMessage: 'PdvOrder_NotEnoughPoints' }) }],
  [
    'in envelope B',
    { answer: { HasError: true, ErrorCode: 47, ErrorMessage: 'No', Result: null } },
  ],
  [
    'without a number',
    { answer: refusal({ Code: '90', CodeName: 'PdvOrderNotEnoughPoints', Severity: 2 }) },
  ],
  [
    'with status 400',
    { answer: refusal({ ErrorCode: 47, Code: '01', CodeName: 'NotAllowed' }), status: 400 },
  ],
];

export function refusal(fields: Fields): Fields {
  return {
    ErrorMessage: 'Refused.',
    ErrorCode: null,
    Result: null,
    Code: '90',
    CodeName: 'Refused',
    Severity: 2,
    HasWarning: false,
    HasError: true,
    ...fields,
  };
}

/** What an answer to the keyed redeem would be that is a success. */
export function successOf(body: string) {
  const { OriginalKey = '' } = JSON.parse(body || '{}');
  return {
    ErrorMessage: null,
    ErrorCode: null,
    Result: {
      RewardId: 991,
      Point: { PointId: 992, Quantity: -100, Metadatas: [] },
      ExternalCode: 'FIVE-NEVER1',
      OriginalKey,
      Coupon: null,
    } as Fields | null,
    Code: '00',
    CodeName: 'Success',
    Severity: 0,
    HasWarning: false,
    HasError: false,
  };
}

type Success = ReturnType<typeof successOf>;
const without = (success: Success, name: string): unknown => ({
  ...success,
  Result: { ...success.Result, [name]: undefined },
});

/** Made of a success; none of them says that points were spent for this key. */
export const oddAnswers: readonly (readonly [string, (success: Success) => unknown])[] = [
  [
    'Items: []',
    () => ({ Items: [], TotalItemCount: 0, PageSize: 1, PageNumber: 1, HasNextPage: false }),
  ],
  ['Result: null', (success) => ({ ...success, Result: null })],
  ['Severity: 2', (success) => ({ ...success, Severity: 2 })],
  ['HasError: true', (success) => ({ ...success, HasError: true })],
  [
    'another OriginalKey',
    (success) => ({ ...success, Result: { ...success.Result, OriginalKey: 'another-key' } }),
  ],
  ['no OriginalKey', (success) => without(success, 'OriginalKey')],
  ['no RewardId', (success) => without(success, 'RewardId')],
  ['an error text', () => ({ ErrorMessages: ['Not enough points'], HasError: false, Items: null })],
  ['a message', () => ({ Message: 'An error has occurred.' })],
  ['{}', () => ({})],
  ['null', () => null],
];
