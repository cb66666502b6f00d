import type { StoreCustomer, StoreOrder } from '../../store/store-entities.ts';
import { type Detail, findDetail } from './customer-detail.ts';
import { knownFields } from './known-fields.ts';
import type { OrderRules } from './mapping-rules.ts';
import { askMerchant, type MerchantResult } from './merchant-function.ts';
import type { RememberedOrder } from './remembered.ts';
import type { CustomerForm, MappingFault } from './wanted-state.ts';

export type CustomerResult =
  | { readonly kind: 'form'; readonly form: CustomerForm | undefined }
  | { readonly kind: 'fault'; readonly faults: readonly MappingFault[] };

/**
 * The customer to send with an order.
 *
 * An order without a customer keeps the one it was last sent with: the customer was deleted since, and the
 * order in the loyalty service still is theirs. Only an order that never had one is a guest's.
 *
 * A completed order keeps its customer too, for example after a merge. Its points are with that member, and
 * a person moves them: sent for the kept customer, the order could give them a second time.
 */
export function orderCustomer(
  order: StoreOrder,
  rules: OrderRules,
  before: RememberedOrder | undefined,
): CustomerResult {
  const { customer } = order;
  const remembered = before?.customer;
  const hasEarned = before?.basics?.OrderCompletedDate != null;
  const staysWith = hasEarned ? remembered : undefined;
  if (customer === undefined || (staysWith && staysWith.OriginalId !== customer.id)) {
    return { kind: 'form', form: remembered };
  }
  const document = findDetail('document', rules.document, order);
  const birthday = findDetail('birthday', rules.birthday, order);
  const enrolled = findEnrolment(order, rules);
  const faults = [document, birthday, enrolled].flatMap((found) =>
    found.kind === 'fault' ? [found.fault] : [],
  );
  if (faults.length > 0) return { kind: 'fault', faults };

  const earlier = remembered?.OriginalId === customer.id ? remembered : undefined;
  const form = knownFields({
    ...plainCustomerForm(customer),
    BirthdayDate: birthday.kind === 'value' ? birthdayDate(birthday.value) : earlier?.BirthdayDate,
    Document: seenOrEarlier(document, earlier?.Document),
    IsEnrolled: enrolled.kind === 'value' ? enrolled.value : undefined,
  });
  return { kind: 'form', form };
}

/** What the store itself knows of a customer. */
export function plainCustomerForm(customer: StoreCustomer): CustomerForm {
  return knownFields({
    OriginalId: customer.id,
    Name: customer.name,
    Email: customer.email,
    Phone: customer.phone,
    SignupDate: customer.createdAt,
  });
}

/**
 * The loyalty service has an error for a customer with neither e-mail address nor document.
 * See docs/decisions/0045-who-is-sent.md.
 */
export function isIdentified(
  form: Pick<CustomerForm, 'Email' | 'Document'> | undefined,
  { customersWithoutEmail }: Pick<OrderRules, 'customersWithoutEmail'>,
): boolean {
  if (customersWithoutEmail === 'send' || form === undefined) return true;
  return form.Email !== undefined || form.Document !== undefined;
}

function findEnrolment(order: StoreOrder, rules: OrderRules): MerchantResult<boolean | undefined> {
  const { enrolment } = rules;
  if (typeof enrolment === 'function') {
    const isAnswer = (answer: unknown): answer is boolean | undefined =>
      answer === undefined || typeof answer === 'boolean';
    return askMerchant('enrolment', enrolment, order, isAnswer, 'true, false or undefined');
  }
  return { kind: 'value', value: enrolment === 'everyone' ? true : undefined };
}

/** A detail that this snapshot cannot see stays what it was. */
function seenOrEarlier(found: Detail, earlier: string | undefined): string | undefined {
  return found.kind === 'value' ? found.value : earlier;
}

/**
 * The first moment of the day in UTC. What is no ISO date is left out: a typing error must not cost the
 * customer the points of an order.
 */
export function birthdayDate(text: string | undefined): string | undefined {
  const day = /^(\d{4}-\d\d-\d\d)(?:[T ].*)?$/.exec(text ?? '')?.[1];
  if (day === undefined) return undefined;
  const moment = new Date(`${day}T00:00:00.000Z`);
  // JavaScript turns the 31st of February into a day of March instead of refusing it.
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day)
    ? moment.toISOString()
    : undefined;
}
