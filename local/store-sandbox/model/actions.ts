import * as v from 'valibot';
import * as orders from './change-order.ts';
import * as customers from './customers.ts';
import * as discounts from './discounts.ts';
import * as inputs from './inputs.ts';
import * as metafields from './metafields.ts';
import * as payments from './payments.ts';
import * as placing from './place-order.ts';
import * as products from './products.ts';
import * as refunds from './refund-order.ts';
import type { StoreRows } from './rows.ts';
import * as credit from './store-credit.ts';
import { done, type Outcome, refused, type World } from './world.ts';

interface Action<Schema extends v.GenericSchema, Value> {
  readonly input: Schema;
  readonly run: (world: World, input: v.InferOutput<Schema>) => Outcome<Value>;
}

const action = <Schema extends v.GenericSchema, Value>(
  input: Schema,
  run: Action<Schema, Value>['run'],
): Action<Schema, Value> => ({ input, run });

const tables = {
  order: 'orders',
  product: 'products',
  discount: 'discounts',
  customer: 'customers',
} as const;

type Named = keyof typeof tables;
type RowOf<Name extends Named> = NonNullable<ReturnType<StoreRows[(typeof tables)[Name]]['get']>>;

/** An action on something that must be there: its input names the id of it. */
const actionOn = <
  Name extends Named,
  Schema extends v.GenericSchema<unknown, Readonly<Record<`${Name}Id`, string>>>,
  Value,
>(
  name: Name,
  input: Schema,
  run: (world: World, row: RowOf<Name>, input: v.InferOutput<Schema>) => Outcome<Value>,
): Action<Schema, Value> =>
  action(input, (world, given) => {
    const id = given[`${name}Id`];
    const row = world.rows[tables[name]].get(id);
    return row ? run(world, row as RowOf<Name>, given) : refused(`There is no ${name} ${id}.`);
  });

/** Everything that can happen in the store, by its name in code and over HTTP. */
export const actions = {
  placeOrder: action(inputs.orderDraft, placing.placeOrder),
  quoteOrder: action(inputs.orderDraft, placing.quoteOrder),
  placeRandomOrder: action(inputs.nothing, placing.placeRandomOrder),
  payOrder: actionOn('order', inputs.payment, payments.payOrder),
  voidPayment: actionOn('order', inputs.orderReference, payments.voidPayment),
  expirePayment: actionOn('order', inputs.orderReference, payments.expirePayment),
  fulfilOrder: actionOn('order', inputs.fulfilment, orders.fulfilOrder),
  editOrder: actionOn('order', inputs.edit, orders.editOrder),
  refundOrder: actionOn('order', inputs.refund, refunds.refundOrder),
  settleRefund: actionOn('order', inputs.settlement, refunds.settleRefund),
  openDispute: actionOn('order', inputs.dispute, payments.openDispute),
  updateDispute: actionOn('order', inputs.disputeChange, payments.updateDispute),
  returnItems: actionOn('order', inputs.returning, orders.returnItems),
  cancelOrder: actionOn('order', inputs.cancellation, orders.cancelOrder),
  tagOrder: actionOn('order', inputs.tagging, orders.tagOrder),
  closeOrder: actionOn('order', inputs.orderReference, orders.closeOrder),
  deleteOrder: actionOn('order', inputs.orderReference, orders.deleteOrder),
  createProduct: action(inputs.productDraft, products.createProduct),
  updateProduct: actionOn('product', inputs.productChange, products.updateProduct),
  changeInventory: actionOn('product', inputs.inventoryChange, products.changeInventory),
  deleteProduct: actionOn('product', inputs.productReference, products.deleteProduct),
  createDiscount: action(inputs.discountDraft, discounts.createDiscount),
  updateDiscount: actionOn('discount', inputs.discountChange, discounts.updateDiscount),
  deactivateDiscount: actionOn('discount', inputs.discountReference, discounts.deactivateDiscount),
  deleteDiscount: actionOn('discount', inputs.discountReference, discounts.deleteDiscount),
  addCodes: actionOn('discount', inputs.codesChange, discounts.addCodes),
  removeCodes: actionOn('discount', inputs.codesChange, discounts.removeCodes),
  startRollout: action(inputs.rolloutDraft, discounts.startRollout),
  endRollout: action(inputs.rolloutReference, discounts.endRollout),
  createCustomer: action(inputs.customerDraft, customers.createCustomer),
  updateCustomer: actionOn('customer', inputs.customerChange, customers.updateCustomer),
  mergeCustomers: action(inputs.customerMerge, customers.mergeCustomers),
  deleteCustomer: actionOn('customer', inputs.customerReference, customers.deleteCustomer),
  redactCustomer: actionOn('customer', inputs.customerReference, customers.redactCustomer),
  requestCustomerData: actionOn(
    'customer',
    inputs.customerReference,
    customers.requestCustomerData,
  ),
  creditCustomer: action(inputs.creditChange, credit.creditCustomer),
  failCheckout: action(inputs.failedCheckout, credit.failCheckout),
  setMetafield: action(inputs.metafieldDraft, metafields.setMetafield),
  deleteMetafield: action(inputs.metafieldReference, metafields.deleteMetafield),
  defineMetafield: action(inputs.metafieldDefinition, metafields.defineMetafield),
  redactShop: action(inputs.nothing, () => done('redacted', { topic: 'shop/redact' })),
  uninstallApp: action(inputs.nothing, () => done('uninstalled', { topic: 'app/uninstalled' })),
};

export type ActionName = keyof typeof actions;
export type ActionInput<Name extends ActionName> = v.InferInput<(typeof actions)[Name]['input']>;
export type ActionValue<Name extends ActionName> =
  ReturnType<(typeof actions)[Name]['run']> extends Outcome<infer Value> ? Value : never;

/** Reports every invalid field of the input, but never its value. */
export function act(world: World, name: ActionName, input: unknown): Outcome<unknown> {
  const { input: schema, run } = actions[name] as unknown as Action<v.GenericSchema, unknown>;
  const reading = v.safeParse(schema, input);
  if (reading.success) return run(world, reading.output);
  const why = reading.issues.map(
    (issue) => `${v.getDotPath(issue) ?? 'The input'} is not valid for ${name} (${issue.type}).`,
  );
  return { kind: 'refused', why: why.join(' ') };
}
