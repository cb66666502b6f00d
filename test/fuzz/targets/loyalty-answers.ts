import { readAnswer } from '../../../shared/loyalty/client.ts';
import { type OperationId, operationTable } from '../../../shared/loyalty/operations.ts';
import { persons } from '../../fixtures/persons.ts';
import { chance, expectLaw, type FuzzTarget, pick } from '../fuzz-target.ts';
import { HOSTILE_TEXTS, makeBody, toTree } from '../make-body.ts';

const { email, first_name, last_name } = persons.quillane;
const HIDDEN = [email, `${first_name} ${last_name}`, 'loyalty-key-93f2c8'];
const OPERATIONS = Object.keys(operationTable) as OperationId[];

const page = {
  Items: [{ Id: 7 }],
  TotalItemCount: 1,
  PageSize: 10,
  PageNumber: 1,
  HasNextPage: false,
};
/** Each with an operation that it is an answer of. */
const VALID: readonly (readonly [OperationId, object])[] = [
  ['sendOrder', { HasError: false, Result: { Id: 1, PointsBalance: 64.9 }, Severity: 0 }],
  ['listQuizzes', { HasError: false, Result: [{ Id: '1' }], ErrorMessages: [] }],
  [
    'sendOrder',
    { HasError: true, ErrorCode: 103, ErrorMessage: `Slow down, ${first_name} of ${email}` },
  ],
  [
    'createCoupon',
    {
      HasError: true,
      ErrorDescriptions: [{ Description: 13, Field: 'Email', FieldText: `${email} is taken` }],
      ErrorMessages: ['Too_Many_Requests', `key loyalty-key-93f2c8`],
    },
  ],
  [
    'updateProduct',
    { HasError: false, HasWarning: true, Severity: 1, Code: '07', CodeName: last_name, Result: {} },
  ],
  ['listTiers', { CurrentTier: { Id: 1 }, NextTiers: [], AllTiers: [{ Id: 1 }] }],
  ['listRewardConfigurations', { ...page, HasError: false }],
];

const STATUSES = [
  '200',
  '200',
  '200',
  '201',
  '302',
  '400',
  '401',
  '404',
  '408',
  '429',
  '503',
  '999',
];

/** Any answer at the address of the loyalty service. */
export function createTarget(): FuzzTarget {
  return {
    make(random) {
      const [asked, answer] = pick(random, VALID);
      const parts = {
        operation: chance(random, 0.7) ? asked : pick(random, OPERATIONS),
        status: pick(random, STATUSES),
        type: chance(random, 0.8) ? 'application/json' : pick(random, HOSTILE_TEXTS),
        retryAfter: chance(random, 0.8) ? '' : pick(random, HOSTILE_TEXTS),
      };
      return { body: makeBody(toTree(answer), random), parts };
    },
    async run({ body, parts: { operation, status = '200', type = '', retryAfter = '' } }) {
      const text = Buffer.from(body).toString('utf8');
      const headers = { 'content-type': type, ...(retryAfter && { 'retry-after': retryAfter }) };
      const result = readAnswer(
        (operation || 'sendOrder') as OperationId,
        { kind: 'answer', status: Number(status) || 0, headers, text },
        { input: { body: { Customer: { Email: email } } }, hidden: () => HIDDEN },
        new Date('2026-10-09T12:00:00Z'),
      );
      const { value: _, ...shown } = { value: undefined, ...result };
      const said = JSON.stringify(shown);
      expectLaw(said.length < 10_000, 'the result of an answer is short');
      for (const text of [...HIDDEN, first_name, last_name]) {
        expectLaw(
          !said.toLowerCase().includes(text.toLowerCase()),
          'no result holds a hidden text',
        );
      }
      return result.kind;
    },
  };
}
