import { expect, it } from 'vitest';
import { argumentsOf } from '../../../scripts/connector/history/audit-records.ts';

it('an audit record keeps ids, choices and dates as they were typed', () => {
  const options = { since: Date.parse('2026-10-01'), kind: 'order', limit: 20, shop: undefined };
  expect(argumentsOf({ operands: ['7012345', 'K3F9A2LQ7ZPX'], options })).toEqual({
    1: '7012345',
    2: 'K3F9A2LQ7ZPX',
    since: '2026-10-01T00:00:00.000Z',
    kind: 'order',
    limit: '20',
  });
});

it('an audit record leaves out e-mail addresses, and of an address all but its host', () => {
  const options = {
    because: 'jo.doe+x@example.com asked <jo@example.com>',
    to: 'https://example.com/shop/token-1?key=2',
    id: 'jo@example.com',
  };
  expect(argumentsOf({ operands: [], options })).toEqual({
    because: '(an e-mail address) asked <(an e-mail address)>',
    to: 'https://example.com',
    id: '(an e-mail address)',
  });
});

it('an audit record stays small, whatever was typed', () => {
  const { because = '' } = argumentsOf({ operands: [], options: { because: 'x'.repeat(9_999) } });
  expect(because).toHaveLength(200);
});
