import * as v from 'valibot';
import * as customerInputs from './customer-inputs.ts';
import {
  createCustomer,
  deleteCustomer,
  redactCustomer,
  requestCustomerData,
  updateCustomer,
} from './customers.ts';
import * as discountInputs from './discount-inputs.ts';
import {
  addCodes,
  createDiscount,
  deactivateDiscount,
  deleteDiscount,
  removeCodes,
  updateDiscount,
} from './discounts.ts';
import { editOrder } from './edit-order.ts';
import { cancelOrder, closeOrder, deleteOrder, returnItems, tagOrder } from './end-order.ts';
import { fulfilOrder } from './fulfil-order.ts';
import { nothing } from './input-fields.ts';
import { defineMetafield, deleteMetafield, setMetafield } from './metafields.ts';
import * as orderInputs from './order-inputs.ts';
import { payOrder } from './payments.ts';
import { placeOrder, placeRandomOrder } from './place-order.ts';
import * as productInputs from './product-inputs.ts';
import { changeInventory, createProduct, deleteProduct, updateProduct } from './products.ts';
import { refundOrder } from './refund-order.ts';
import { done, moment, type Outcome, type World } from './world.ts';

interface Action<Schema extends v.GenericSchema, Value> {
  readonly input: Schema;
  readonly run: (world: World, input: v.InferOutput<Schema>) => Outcome<Value>;
}

const action = <Schema extends v.GenericSchema, Value>(
  input: Schema,
  run: Action<Schema, Value>['run'],
): Action<Schema, Value> => ({ input, run });

/** Everything that can happen in the store, by the name it has in code and over HTTP. */
export const actions = {
  placeOrder: action(orderInputs.orderDraft, placeOrder),
  placeRandomOrder: action(nothing, placeRandomOrder),
  payOrder: action(orderInputs.payment, payOrder),
  fulfilOrder: action(orderInputs.fulfilment, fulfilOrder),
  editOrder: action(orderInputs.edit, editOrder),
  refundOrder: action(orderInputs.refund, refundOrder),
  returnItems: action(orderInputs.returning, returnItems),
  cancelOrder: action(orderInputs.cancellation, cancelOrder),
  tagOrder: action(orderInputs.tagging, tagOrder),
  closeOrder: action(orderInputs.orderReference, closeOrder),
  deleteOrder: action(orderInputs.orderReference, deleteOrder),
  createProduct: action(productInputs.productDraft, createProduct),
  updateProduct: action(productInputs.productChange, updateProduct),
  changeInventory: action(productInputs.inventoryChange, changeInventory),
  deleteProduct: action(productInputs.productReference, deleteProduct),
  createDiscount: action(discountInputs.discountDraft, createDiscount),
  updateDiscount: action(discountInputs.discountChange, updateDiscount),
  deactivateDiscount: action(discountInputs.discountReference, deactivateDiscount),
  deleteDiscount: action(discountInputs.discountReference, deleteDiscount),
  addCodes: action(discountInputs.codesChange, addCodes),
  removeCodes: action(discountInputs.codesChange, removeCodes),
  createCustomer: action(customerInputs.customerDraft, createCustomer),
  updateCustomer: action(customerInputs.customerChange, updateCustomer),
  deleteCustomer: action(customerInputs.customerReference, deleteCustomer),
  redactCustomer: action(customerInputs.customerReference, redactCustomer),
  requestCustomerData: action(customerInputs.customerReference, requestCustomerData),
  setMetafield: action(customerInputs.metafieldDraft, setMetafield),
  deleteMetafield: action(customerInputs.metafieldReference, deleteMetafield),
  defineMetafield: action(customerInputs.metafieldDefinition, defineMetafield),
  redactShop: action(nothing, (world) =>
    done('redacted', { topic: 'shop/redact', at: moment(world) }),
  ),
  uninstallApp: action(nothing, (world) =>
    done('uninstalled', { topic: 'app/uninstalled', at: moment(world) }),
  ),
};

export type ActionName = keyof typeof actions;
export type ActionInput<Name extends ActionName> = v.InferInput<(typeof actions)[Name]['input']>;
export type ActionValue<Name extends ActionName> =
  ReturnType<(typeof actions)[Name]['run']> extends Outcome<infer Value> ? Value : never;

/** Every fault of the input is named; none of its values is. */
export function act(world: World, name: ActionName, input: unknown): Outcome<unknown> {
  const { input: schema, run } = actions[name] as unknown as Action<v.GenericSchema, unknown>;
  const reading = v.safeParse(schema, input);
  if (reading.success) return run(world, reading.output);
  const why = reading.issues.map(
    (issue) => `${v.getDotPath(issue) ?? 'The input'} is not as ${name} takes it (${issue.type}).`,
  );
  return { kind: 'refused', why: why.join(' ') };
}
