import * as v from 'valibot';
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
  removeCodes,
  updateDiscount,
} from './discounts.ts';
import { openDispute, updateDispute } from './disputes.ts';
import { editOrder } from './edit-order.ts';
import { cancelOrder, closeOrder, deleteOrder, returnItems, tagOrder } from './end-order.ts';
import { fulfilOrder } from './fulfil-order.ts';
import * as inputs from './inputs.ts';
import { defineMetafield, deleteMetafield, setMetafield } from './metafields.ts';
import * as orderInputs from './order-inputs.ts';
import { expirePayment, payOrder, voidPayment } from './payments.ts';
import { placeOrder, placeRandomOrder, quoteOrder } from './place-order.ts';
import { changeInventory, createProduct, deleteProduct, updateProduct } from './products.ts';
import { refundOrder, settleRefund } from './refund-order.ts';
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
  placeOrder: action(orderInputs.orderDraft, placeOrder),
  quoteOrder: action(orderInputs.orderDraft, quoteOrder),
  placeRandomOrder: action(inputs.nothing, placeRandomOrder),
  payOrder: action(orderInputs.payment, payOrder),
  voidPayment: action(orderInputs.orderReference, voidPayment),
  expirePayment: action(orderInputs.orderReference, expirePayment),
  fulfilOrder: action(orderInputs.fulfilment, fulfilOrder),
  editOrder: action(orderInputs.edit, editOrder),
  refundOrder: action(orderInputs.refund, refundOrder),
  settleRefund: action(orderInputs.settlement, settleRefund),
  openDispute: action(orderInputs.dispute, openDispute),
  updateDispute: action(orderInputs.disputeChange, updateDispute),
  returnItems: action(orderInputs.returning, returnItems),
  cancelOrder: action(orderInputs.cancellation, cancelOrder),
  tagOrder: action(orderInputs.tagging, tagOrder),
  closeOrder: action(orderInputs.orderReference, closeOrder),
  deleteOrder: action(orderInputs.orderReference, deleteOrder),
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
  createCustomer: action(inputs.customerDraft, createCustomer),
  updateCustomer: action(inputs.customerChange, updateCustomer),
  mergeCustomers: action(inputs.customerMerge, mergeCustomers),
  deleteCustomer: action(inputs.customerReference, deleteCustomer),
  redactCustomer: action(inputs.customerReference, redactCustomer),
  requestCustomerData: action(inputs.customerReference, requestCustomerData),
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
