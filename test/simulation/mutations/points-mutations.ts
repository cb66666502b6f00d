import type { Mutation } from './mutation.ts';

/** Deliberate bugs in what an order is worth, in merges, and in reading the service. */
export const pointsMutations: readonly Mutation[] = [
  {
    name: 'taxes-count',
    bug: 'taxes in the prices of an order earn points',
    find: 'order.taxesIncluded ? atLeastZero(subtract(paid, tax)) : paid;',
    replace: 'paid;',
    within: 20,
  },
  {
    name: 'amount-refunds-take-nothing',
    bug: 'what is refunded without a line keeps its points',
    find: '[atLeastZero(subtract(goods, refunded)), goods];',
    replace: '[goods, goods];',
    within: 60,
  },
  {
    name: 'money-after-an-edit-counts-twice',
    bug: 'goods that an edit took out, and the money that follows, are both deducted',
    find: '    return smallest([...bounds, atLeastZero(subtract(money, owed))]);',
    replace: '    return smallest([...bounds, sum([money, owed])]);',
    within: 300,
  },
  {
    name: 'money-of-another-currency-counts',
    bug: 'the amount of a refund in a foreign currency is taken for money of the shop',
    find: '      if ((one.currency ?? presentment_currency ?? currency) !== currency) return undefined;\n',
    replace: '',
    within: 60,
  },
  {
    name: 'pending-money-counts',
    bug: 'money that is on its way counts as paid back',
    find: " || one.status !== 'success') continue;",
    replace: " || one.status === 'failure') continue;",
    within: 60,
  },
  {
    name: 'money-before-an-edit-counts-twice',
    bug: 'money that was paid back, and the goods that an edit takes out later, are both deducted',
    find: 'atLeastZero(subtract(money, owed))',
    replace: `payload.refunds
    .map((_, last) => {
      const refunds = payload.refunds.slice(0, last + 1);
      const sold = payload.line_items.map((line) => ({ ...line, current_quantity: undefined }));
      const then = { ...payload, refunds, line_items: sold };
      const gone = worthTakenBack(then, lineAmounts(then));
      return atLeastZero(subtract(moneyBack(then) ?? ZERO, gone));
    })
    .reduce((most, one) => (Number(one) > Number(most) ? one : most), ZERO)`,
    within: 60,
  },
  {
    name: 'gross-is-taken-from-net',
    bug: 'what is refunded without a line is deducted with its taxes from goods without taxes',
    find: '  const goods = sum([order.subtotal, taxOnTop]);',
    replace: '  const goods = taxOnTop && order.subtotal;',
    within: 60,
  },
  {
    name: 'new-rules-take-points',
    bug: 'an order that was sent is counted by rules that changed since',
    find: ' = sent?.countedBy ?? rules;',
    replace: ' = rules ?? sent?.countedBy;',
    within: 60,
  },
  {
    name: 'late-order-forgets-a-merge',
    bug: 'an order that arrives late is sent for a customer who was merged into another',
    find: '  if (mergedInto(known.get(ledgerKeyText(record))) !== undefined) return true;\n',
    replace: '  if (mergedInto(known.get(ledgerKeyText(record))) === shop) return true;\n',
  },
  {
    name: 'merge-moves-completed-orders',
    bug: 'a completed order passes to the kept customer, and its points with it',
    find: '  const staysWith = hasEarned ? remembered : undefined;',
    replace: '  const staysWith = hasEarned ? undefined : remembered;',
    within: 60,
  },
  {
    name: 'merge-forgets-points',
    bug: 'points of a customer who was merged into another are not reported',
    find: '  if (points === 0 && cashback === 0)',
    replace: '  if (points >= 0 && cashback >= 0)',
    within: 60,
  },
  {
    name: 'telephone-numbers-are-not-sent',
    bug: 'a changed telephone number does not reach the service',
    find: '    ...plainCustomerForm(member),\n',
    replace: '    ...plainCustomerForm({ ...member, phone: undefined }),\n',
    within: 20,
  },
  {
    name: 'redacted-stay-active',
    bug: 'a redacted customer stays active, although the settings say otherwise',
    find: "  if (rules.redactedCustomers === 'keep') return undefined;",
    replace: '  if (rules.redactedCustomers) return undefined;',
    within: 60,
  },
  {
    name: 'lost-orders-return-at-once',
    bug: 'an order that the service does not show yet is sent again before a day is over',
    find: 'const SHOWN_AFTER_MS = 24 * 3_600_000;',
    replace: 'const SHOWN_AFTER_MS = 0;',
    within: 300,
  },
  {
    name: 'lost-orders-stay-lost',
    bug: 'an order that the service lost is only reported',
    find: '  return isHealed ?',
    replace: '  return isHealed && !isAboutState ?',
    within: 60,
  },
  {
    name: 'reading-corrects-amounts',
    bug: 'an amount that a person raised in the service is overwritten',
    find: "  return missing > 0 || (refunds === 'resend' && taken === 0);",
    replace: '  return missing !== 0;',
    within: 120,
  },
];
