import { describe, expect, it } from 'vitest';
import type { ServiceOrder } from '../../../../shared/core/ledger/ledger.ts';
import {
  differsByRulesAlone,
  type Mapped,
  type OrderForm,
} from '../../../../shared/core/mapping/wanted-state.ts';

const order: OrderForm = { OriginalId: '1001', OrderTotal: 20, IsCompleted: true };
const mapped: Mapped = {
  kind: 'wanted',
  wanted: { kind: 'order', id: '1001', order, sold: [], changed: false, isFine: false },
  remember: undefined,
  rules: 'of today',
};
const service: ServiceOrder = {
  ...{ completedAt: '2026-10-09T12:00:00.000Z', total: 20_000, taken: 0, products: [] },
};

describe('two states of one second, mapped by other rules', () => {
  it.each([
    ['and the same amount', service, true],
    ['and another amount', { ...service, taken: 5_000 }, false],
    ['but the first is the end of the order', { ...service, ended: true as const }, false],
  ])('%s', (_, held, byRulesAlone) => {
    expect(differsByRulesAlone(mapped, { rules: 'of before', service: held })).toBe(byRulesAlone);
  });
});
