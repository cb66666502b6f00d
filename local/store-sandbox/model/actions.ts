import * as v from 'valibot';
import {
  cancelOrder,
  closeOrder,
  deleteOrder,
  editOrder,
  fulfilOrder,
  returnItems,
  tagOrder,
} from './change-order.ts';
import {
  createCustomer,
  deleteCustomer,
  mergeCustomers,
  redactCustomer,
  requestCustomerData,
  updateCustomer,
} from './customers.ts';
import {
  addCodes,
  createDiscount,
  deactivateDiscount,
  deleteDiscount,
  endRollout,
  removeCodes,
  startRollout,
  updateDiscount,
} from './discounts.ts';
import * as inputs from './inputs.ts';
import { defineMetafield, deleteMetafield, setMetafield } from './metafields.ts';
import { expirePayment, openDispute, payOrder, updateDispute, voidPayment } from './payments.ts';
import { placeOrder, placeRandomOrder, quoteOrder } from './place-order.ts';
import { changeInventory, createProduct, deleteProduct, updateProduct } from './products.ts';
import { refundOrder, settleRefund } from './refund-order.ts';
import type { StoreRows } from './rows.ts';
import { creditCustomer, failCheckout } from './store-credit.ts';
import { done, moment, type Outcome, refused, type World } from './world.ts';

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
  placeOrder: action(inputs.orderDraft, placeOrder),
  quoteOrder: action(inputs.orderDraft, quoteOrder),
  placeRandomOrder: action(inputs.nothing, placeRandomOrder),
  payOrder: actionOn('order', inputs.payment, payOrder),
  voidPayment: actionOn('order', inputs.orderReference, voidPayment),
  expirePayment: actionOn('order', inputs.orderReference, expirePayment),
  fulfilOrder: actionOn('order', inputs.fulfilment, fulfilOrder),
  editOrder: actionOn('order', inputs.edit, editOrder),
  refundOrder: actionOn('order', inputs.refund, refundOrder),
  settleRefund: actionOn('order', inputs.settlement, settleRefund),
  openDispute: actionOn('order', inputs.dispute, openDispute),
  updateDispute: actionOn('order', inputs.disputeChange, updateDispute),
  returnItems: actionOn('order', inputs.returning, returnItems),
  cancelOrder: actionOn('order', inputs.cancellation, cancelOrder),
  tagOrder: actionOn('order', inputs.tagging, tagOrder),
  closeOrder: actionOn('order', inputs.orderReference, closeOrder),
  deleteOrder: actionOn('order', inputs.orderReference, deleteOrder),
  createProduct: action(inputs.productDraft, createProduct),
  updateProduct: actionOn('product', inputs.productChange, updateProduct),
  changeInventory: actionOn('product', inputs.inventoryChange, changeInventory),
  deleteProduct: actionOn('product', inputs.productReference, deleteProduct),
  createDiscount: action(inputs.discountDraft, createDiscount),
  updateDiscount: actionOn('discount', inputs.discountChange, updateDiscount),
  deactivateDiscount: actionOn('discount', inputs.discountReference, deactivateDiscount),
  deleteDiscount: actionOn('discount', inputs.discountReference, deleteDiscount),
  addCodes: actionOn('discount', inputs.codesChange, addCodes),
  removeCodes: actionOn('discount', inputs.codesChange, removeCodes),
  startRollout: action(inputs.rolloutDraft, startRollout),
  endRollout: action(inputs.rolloutReference, endRollout),
  createCustomer: action(inputs.customerDraft, createCustomer),
  updateCustomer: actionOn('customer', inputs.customerChange, updateCustomer),
  mergeCustomers: action(inputs.customerMerge, mergeCustomers),
  deleteCustomer: actionOn('customer', inputs.customerReference, deleteCustomer),
  redactCustomer: actionOn('customer', inputs.customerReference, redactCustomer),
  requestCustomerData: actionOn('customer', inputs.customerReference, requestCustomerData),
  creditCustomer: action(inputs.creditChange, creditCustomer),
  failCheckout: action(inputs.failedCheckout, failCheckout),
  setMetafield: action(inputs.metafieldDraft, setMetafield),
  deleteMetafield: action(inputs.metafieldReference, deleteMetafield),
  defineMetafield: action(inputs.metafieldDefinition, defineMetafield),
  redactShop: action(inputs.nothing, (world) =>
    done('redacted', { topic: 'shop/redact', at: moment(world) }),
  ),
  uninstallApp: action(inputs.nothing, (world) =>
    done('uninstalled', { topic: 'app/uninstalled', at: moment(world) }),
  ),
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
