import { recordBegin } from '../../../scripts/connector/ground/session/audit-records.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { changeControl, withOperatorPause } from '../../../shared/core/calls/shop-pause.ts';
import { keepLastReconcile } from '../../../shared/core/reconcile/last-reconcile.ts';
import type { LocalStack } from '../../support/local-stack.ts';
import { letterEvent, letterReason, parkLetters } from '../../support/parked-letters.ts';
import { leaveStuckRedemption } from '../../support/stuck-redemption.ts';

/**
 * Markup that runs a script or writes an element, an address that is a script, commands to a terminal, marks that turn
 * the direction, and a word without an end.
 */
const HOSTILE = [
  '<img src="https://evil.example/x" onerror="globalThis.taken=1">',
  '"><script>globalThis.taken=1</script><b class="written">x</b>',
  'javascript:globalThis.taken=1 [x](javascript:globalThis.taken=1)',
  '\u001b[2J\u009b31m\u007f\u0085\u2028\u202eabc\u2066\u061c\u200f',
  'W'.repeat(300),
].join(' ');
/** Without the characters that neither a name nor a code can have. */
const HOSTILE_CODE = `<b/class="written">\u202e${'W'.repeat(40)}`;

/** A store, a ledger and queues that hold hostile texts wherever a person, the store or the service can write one. */
export async function fillWithHostileTexts(stack: LocalStack) {
  const { store, loyalty, shop, dynamoDb, outputs } = stack;
  const { actions } = store;
  const { domain } = shop;
  const now = new Date();
  const at = now.toISOString();
  const ledger = createDynamoDbLedger({ client: dynamoDb, table: outputs.LedgerTable ?? '' });

  const customer = actions.createCustomer({
    ...{ firstName: HOSTILE, lastName: HOSTILE, email: 'mallory@example.org' },
  });
  const product = actions.createProduct({ title: HOSTILE, price: 60, vendor: HOSTILE });
  actions.createDiscount({ title: HOSTILE, codes: [HOSTILE_CODE], percentage: 10 });
  const place = () => {
    const order = actions.placeOrder({
      lines: [{ variantId: product.variants[0]?.id ?? '' }, { title: HOSTILE, price: 24 }],
      ...{ customerId: customer.id, payment: 'paid', note: HOSTILE, tags: [HOSTILE] },
      noteAttributes: [{ name: HOSTILE, value: HOSTILE }],
    });
    actions.fulfilOrder({ orderId: order.id });
    return order;
  };
  const applied = place();
  await stack.settled();
  loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 34 });
  const refused = place();
  await stack.settled();
  loyalty.faults.clear();

  // What the loyalty service says is free text, too.
  const said = letterReason({ why: `sendOrder was refused: ${HOSTILE}`, code: HOSTILE, at });
  const letter = (id: string) => ({
    event: letterEvent({ shop: domain, id, deliveryId: HOSTILE.slice(0, 80), receivedAt: at }),
    reason: said,
  });
  await parkLetters(
    stack.sqs,
    outputs.OrdersDeadLetterQueueUrl ?? '',
    [letter(refused.id), letter(HOSTILE.slice(0, 200)), { event: HOSTILE, reason: said }],
    { ledger, family: 'orders' },
  );
  await leaveStuckRedemption(
    ledger,
    { shop: domain, customerId: customer.id },
    { title: HOSTILE, at },
  );

  const none = { order: 0, product: 0, coupon: 0, member: 0 };
  await keepLastReconcile(ledger, domain, {
    ...{ beganAt: at, endedAt: at, lookedAt: none, rolledOut: none },
    healed: { ...none, coupon: 1 },
    sent: [{ kind: 'coupon', id: HOSTILE, why: 'missing' }],
    stopped: [{ kind: 'order', why: HOSTILE }],
  });
  const change = { command: HOSTILE, arguments: { 1: HOSTILE, [HOSTILE]: 'x' }, version: HOSTILE };
  await recordBegin(ledger, { arn: `arn:aws:iam::0:user/${HOSTILE}`, userId: 'AIDA' }, change, now);
  await changeControl(ledger, domain, (control) => withOperatorPause(control, 'all', HOSTILE, now));
  return { customer, applied, refused, code: HOSTILE_CODE };
}
