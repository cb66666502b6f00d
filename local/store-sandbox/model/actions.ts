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
import { creditCustomer, debitCustomer, failCheckout } from './store-credit.ts';
import { done, moment, type Outcome, type World } from './world.ts';

interface Action<Schema extends v.GenericSchema, Value> {
  readonly input: Schema;
  readonly run: (world: World, input: v.InferOutput<Schema>) => Outcome<Value>;
}

const action = <Schema extends v.GenericSchema, Value>(
  input: Schema,
  run: Action<Schema, Value>['run'],
): Action<Schema, Value> => ({ input, run });

/** Everything that can happen in the store, by its name in code and over HTTP. */
export const actions = {
  placeOrder: action(inputs.orderDraft, placeOrder),
  quoteOrder: action(inputs.orderDraft, quoteOrder),
  placeRandomOrder: action(inputs.nothing, placeRandomOrder),
  payOrder: action(inputs.payment, payOrder),
  voidPayment: action(inputs.orderReference, voidPayment),
  expirePayment: action(inputs.orderReference, expirePayment),
  fulfilOrder: action(inputs.fulfilment, fulfilOrder),
  editOrder: action(inputs.edit, editOrder),
  refundOrder: action(inputs.refund, refundOrder),
  settleRefund: action(inputs.settlement, settleRefund),
  openDispute: action(inputs.dispute, openDispute),
  updateDispute: action(inputs.disputeChange, updateDispute),
  returnItems: action(inputs.returning, returnItems),
  cancelOrder: action(inputs.cancellation, cancelOrder),
  tagOrder: action(inputs.tagging, tagOrder),
  closeOrder: action(inputs.orderReference, closeOrder),
  deleteOrder: action(inputs.orderReference, deleteOrder),
  createProduct: action(inputs.productDraft, createProduct),
  updateProduct: action(inputs.productChange, updateProduct),
  changeInventory: action(inputs.inventoryChange, changeInventory),
  deleteProduct: action(inputs.productReference, deleteProduct),
  createDiscount: action(inputs.discountDraft, createDiscount),
  updateDiscount: action(inputs.discountChange, updateDiscount),
  deactivateDiscount: action(inputs.discountReference, deactivateDiscount),
  deleteDiscount: action(inputs.discountReference, deleteDiscount),
  addCodes: action(inputs.codesChange, addCodes),
  removeCodes: action(inputs.codesChange, removeCodes),
  startRollout: action(inputs.rolloutDraft, startRollout),
  endRollout: action(inputs.rolloutReference, endRollout),
  createCustomer: action(inputs.customerDraft, createCustomer),
  updateCustomer: action(inputs.customerChange, updateCustomer),
  mergeCustomers: action(inputs.customerMerge, mergeCustomers),
  deleteCustomer: action(inputs.customerReference, deleteCustomer),
  redactCustomer: action(inputs.customerReference, redactCustomer),
  requestCustomerData: action(inputs.customerReference, requestCustomerData),
  creditCustomer: action(inputs.creditChange, creditCustomer),
  debitCustomer: action(inputs.creditChange, debitCustomer),
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
