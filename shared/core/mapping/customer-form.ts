import { createHash } from 'node:crypto';
import type { DetailSource, MappingRules } from '../../config/mapping-settings.ts';
import {
  LOCALIZED_FIELDS,
  type StoreCustomer,
  type StoreMember,
  type StoreOrder,
} from '../../store/store-entities.ts';
import { rememberedForm } from '../ledger/ledger.ts';
import type { Snapshot } from '../store/store.ts';
import {
  type CustomerForm,
  type Found,
  faultsIn,
  type KnownBefore,
  knownFields,
  type Mapped,
  type RememberedOrder,
} from './wanted-state.ts';

/** `contact`: of e-mail address and telephone number, see `contactHash`. */
export const memberMemory = rememberedForm<{ readonly contact: string }>('member', 1);

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
  rules: MappingRules,
  before: { readonly customer: RememberedOrder['customer']; readonly hasEarned: boolean },
): Found<CustomerForm | undefined> {
  const { customer } = order;
  const { customer: remembered, hasEarned } = before;
  const staysWith = hasEarned ? remembered : undefined;
  if (customer === undefined || (staysWith && staysWith.OriginalId !== customer.id)) {
    return { kind: 'value', value: remembered };
  }
  const document = findDetail('document', rules.document, order);
  const birthday = findDetail('birthday', rules.birthday, order);
  const enrolled = findEnrolment(order, rules);
  const faults = faultsIn([document, birthday, enrolled]);
  if (faults.length > 0) return { kind: 'fault', faults };

  const earlier = remembered?.OriginalId === customer.id ? remembered : undefined;
  const value = knownFields({
    ...plainCustomerForm(customer),
    // A detail that this snapshot cannot see stays what it was.
    BirthdayDate: birthday.kind === 'value' ? birthdayDate(birthday.value) : earlier?.BirthdayDate,
    Document: document.kind === 'value' ? document.value : earlier?.Document,
    IsEnrolled: enrolled.kind === 'value' ? enrolled.value : undefined,
  });
  return { kind: 'value', value };
}

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
 * See docs/decisions/0015-customers-are-sent-from-sign-up-and-people-finish-merges.md.
 */
export function isIdentified(
  form: Pick<CustomerForm, 'Email' | 'Document'> | undefined,
  { customersWithoutEmail }: Pick<MappingRules, 'customersWithoutEmail'>,
): boolean {
  if (customersWithoutEmail === 'send' || form === undefined) return true;
  return form.Email !== undefined || form.Document !== undefined;
}

function findEnrolment(order: StoreOrder, rules: MappingRules): Found<boolean | undefined> {
  const { enrolment } = rules;
  if (typeof enrolment === 'function') {
    const isAnswer = (answer: unknown): answer is boolean | undefined =>
      answer === undefined || typeof answer === 'boolean';
    return askMerchant('enrolment', enrolment, order, isAnswer, 'true, false or undefined');
  }
  return { kind: 'value', value: enrolment === 'everyone' ? true : undefined };
}

/**
 * The first moment of the day in UTC. What is no ISO date is left out: a typing error must not cost the
 * customer the points of an order.
 */
function birthdayDate(text: string | undefined): string | undefined {
  const day = /^(\d{4}-\d\d-\d\d)(?:[T ].*)?$/.exec(text ?? '')?.[1];
  if (day === undefined) return undefined;
  const moment = new Date(`${day}T00:00:00.000Z`);
  // JavaScript turns the 31st of February into a day of March instead of refusing it.
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day)
    ? moment.toISOString()
    : undefined;
}

/**
 * Finds a detail of the customer where the merchant keeps it. Blank counts as absent. `unseen`: this snapshot does not
 * carry it; another source of the same order may.
 */
function findDetail(
  setting: 'document' | 'birthday',
  source: DetailSource | undefined,
  order: StoreOrder,
): Found<string | undefined> | { readonly kind: 'unseen' } {
  if (source === undefined) return { kind: 'value', value: undefined };
  if (typeof source === 'function') {
    const answer = askMerchant(setting, source, order, isTextOrAbsent, 'text or undefined');
    return answer.kind === 'value' ? { kind: 'value', value: filled(answer.value) } : answer;
  }
  if (source.from === 'note-attribute') {
    const attribute = order.noteAttributes.find(({ name }) => name === source.name);
    return { kind: 'value', value: filled(attribute?.value) };
  }
  if (order.metafields === undefined) return { kind: 'unseen' };
  const wanted =
    source.from === 'metafield'
      ? source
      : ({ owner: 'order', namespace: LOCALIZED_FIELDS, key: source.key } as const);
  return { kind: 'value', value: metafieldIn(order, wanted) };
}

function metafieldIn(
  { metafields }: Pick<StoreOrder, 'metafields'>,
  { owner, namespace, key }: Pick<Metafield, 'owner' | 'namespace' | 'key'>,
): string | undefined {
  const metafield = metafields?.find(
    (one) => one.owner === owner && one.namespace === namespace && one.key === key,
  );
  return filled(metafield?.value);
}

/** True when a rule needs metafields that this snapshot does not carry. */
export function needsMetafields(
  order: StoreOrder,
  { document, birthday }: Pick<MappingRules, 'document' | 'birthday'>,
): boolean {
  return [document, birthday].some(
    (source) => typeof source === 'object' && source.from !== 'note-attribute' && !order.metafields,
  );
}

/** Undefined where only an order says it, and for what this snapshot does not carry. */
function findMemberDetail(source: DetailSource | undefined, member: StoreMember) {
  return isOfCustomer(source) ? metafieldIn(member, source) : undefined;
}

/**
 * True when a rule needs metafields that this snapshot of a customer does not carry. A webhook never
 * does, so that even one that changes nothing else may bring a new birthday.
 */
export function hidesDetails(
  { metafields }: Pick<StoreMember, 'metafields'>,
  { document, birthday }: Pick<MappingRules, 'document' | 'birthday'>,
): boolean {
  return !metafields && [document, birthday].some(isOfCustomer);
}

type Metafield = Extract<DetailSource, { readonly from: 'metafield' }>;

function isOfCustomer(source: DetailSource | undefined): source is Metafield {
  return typeof source === 'object' && source.from === 'metafield' && source.owner === 'customer';
}

function isTextOrAbsent(answer: unknown): answer is string | undefined {
  return answer === undefined || typeof answer === 'string';
}

function filled(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/**
 * What the loyalty service should hold of a customer, from their sign-up on. What is left out stays there
 * as an order said it: the details that only orders carry, and an enrolment that a rule finds in orders.
 */
export function mapMember(member: StoreMember, rules: MappingRules, before: KnownBefore): Mapped {
  if (rules.customers === 'with-orders') return { kind: 'skip', why: 'customers-with-orders' };
  const form = knownFields({
    ...plainCustomerForm(member),
    BirthdayDate: birthdayDate(findMemberDetail(rules.birthday, member)),
    Document: findMemberDetail(rules.document, member),
    IsEnrolled: rules.enrolment === 'everyone' ? true : undefined,
  });
  if (!before.known && !isIdentified(form, rules)) {
    return { kind: 'skip', why: 'customer-without-email' };
  }
  return {
    kind: 'wanted',
    wanted: { kind: 'member', id: member.id, member: { ...form, OriginalId: member.id } },
    remember: memberMemory.write({ contact: contactHash(form) }),
  };
}

/** Nothing is remembered of a deleted customer. */
export function mapDeletedMember(id: string, { known }: KnownBefore): Mapped {
  if (!known) return { kind: 'skip', why: 'never-sent' };
  return { kind: 'wanted', wanted: { kind: 'deleted-member', id }, remember: undefined };
}

/** Compares how a person can be reached, without keeping it. */
export function contactHash({ Email, Phone }: CustomerForm): string {
  const contact = JSON.stringify([Email?.toLowerCase(), Phone]);
  return createHash('sha256').update(contact).digest('base64url');
}

/**
 * Runs a function of the merchant's. When it fails, only this entity is parked, with the name of the
 * setting and of the error: its message may quote a person's data that the function was given.
 */
export function askMerchant<Given, T>(
  setting: string,
  rule: (given: Given) => unknown,
  given: Given,
  isRight: (answer: unknown) => answer is T,
  expected: string,
): Found<T> {
  const fault = (problem: string) =>
    ({ kind: 'fault', faults: [`rules.${setting} ${problem}`] }) as const;
  try {
    const answer = rule(given);
    return isRight(answer) ? { kind: 'value', value: answer } : fault(`must return ${expected}`);
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    const isName = /^[A-Za-z]{1,40}$/.test(name);
    return fault(`threw ${isName ? name : 'something that is not an error'}`);
  }
}

/** Who bought, or may use the code. */
export function customersIn(entity: Snapshot['entity']): readonly StoreCustomer[] {
  if (entity.kind === 'order') return entity.order.customer ? [entity.order.customer] : [];
  const { audience } = entity.kind === 'coupon' ? entity.coupon : {};
  return audience?.kind === 'customers' ? audience.customers : [];
}

/** The service knows one customer per coupon, and takes a code back for all at once: one for several has none. */
export function buyerIn(entity: Snapshot['entity']): StoreCustomer | undefined {
  const [buyer, ...others] = customersIn(entity);
  return others.length === 0 ? buyer : undefined;
}
