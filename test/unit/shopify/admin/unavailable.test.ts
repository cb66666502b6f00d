import { expect, it } from 'vitest';
import { failure, unavailable } from '../../../../shared/shopify/admin/client/admin-answer.ts';

it('says that the store refused the question, so that a walk drops a place that is valid no more', () => {
  expect(unavailable(failure('query-refused'))).toMatchObject({
    why: 'query-refused',
    queryRefused: true,
  });
  expect(unavailable(failure('time-out'))).toEqual({ kind: 'unavailable', why: 'time-out' });
});
