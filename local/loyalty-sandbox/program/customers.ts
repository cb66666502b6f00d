import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call, Fault } from '../call.ts';
import { customerOrigin } from './assigned-numbers.ts';
import { type Context, randomText, takeNumber } from './context.ts';
import { fromHundredths } from './hundredths.ts';
import {
  type Answer,
  describeFaults,
  done,
  type Outcome,
  type Refusal,
  refuse,
} from './outcome.ts';
import { balanceOf } from './points.ts';
import { type Fields, isBlank, knownFields, readFields } from './read-fields.ts';
import type { CustomerRow } from './rows.ts';
import { iconUrl, tierOf } from './tiers.ts';

/** What will be written once the order or coupon that carries the customer is accepted. */
export interface CustomerPlan {
  readonly kind: 'planned';
  readonly id: string;
  readonly before: CustomerRow | undefined;
  readonly sent: Partial<Omit<CustomerRow, 'Id' | 'OriginalId' | 'PublicId'>>;
  readonly origin: keyof typeof customerOrigin;
}

const personalFields = ['Name', 'Email', 'Phone', 'Document'] as const;
const personalDates = ['BirthdayDate', 'SignupDate'] as const;

/** Faults that concern the customer inside a larger body. */
export function isCustomerFault({ path }: Fault): boolean {
  return path === 'Customer' || path.startsWith('Customer.');
}

/**
 * Checks a customer inside an order or coupon, in this order: 39 no OriginalId, 40 or 41 what cannot
 * be read (of a new or a known customer), 50 neither document nor e-mail (its condition is not shown), by the settings
 * 118 or 119 what another customer has.
 *
 * Customers are upserts: what a later request leaves out stays as it was.
 */
export function planCustomer(
  context: Context,
  fields: Fields,
  faults: readonly Fault[],
  origin: CustomerPlan['origin'],
  fallbackId: string | null = null,
): CustomerPlan | Refusal {
  const id = fields.key('OriginalId') ?? fallbackId;
  if (id === null) return refuse(39, 'Customer.OriginalId must be given.');
  const sent = knownFields({
    ...Object.fromEntries(personalFields.map((name) => [name, fields.text(name)])),
    ...Object.fromEntries(personalDates.map((name) => [name, fields.date(name)])),
    IsEnrolled: fields.flag('IsEnrolled'),
    enrolledAt: fields.date('EnrolledDate'),
  }) as CustomerPlan['sent'];
  const before = context.tables.customers.get(id);
  const mine = faults.filter(isCustomerFault);
  if (mine.length > 0) return refuse(before ? 41 : 40, describeFaults(mine));
  const { Email, Document } = { ...before, ...sent };
  if (isBlank(Email) && isBlank(Document)) {
    return refuse(50, 'Customer.Email or Customer.Document must be given.');
  }
  if (context.settings.sharedIdentity === 'refused') {
    const others = [...context.tables.customers.values()].filter((one) => one.OriginalId !== id);
    const has = (one: CustomerRow, text: string | null | undefined) =>
      isNamedBy(one, text?.trim().toLowerCase() ?? '');
    if (others.some((one) => has(one, sent.Email))) {
      return refuse(118, 'Another customer has this Email.');
    }
    if (others.some((one) => has(one, digitsOf(sent.Document)))) {
      return refuse(119, 'Another customer has this Document.');
    }
  }
  return { kind: 'planned', id, before, sent, origin };
}

/** `enrolledAt` counts where no EnrolledDate was sent. */
export function saveCustomer(
  context: Context,
  { id, before, sent, origin }: CustomerPlan,
  enrolledAt?: string,
): CustomerRow {
  const now = context.now().toISOString();
  const earlier: CustomerRow = before ?? {
    Id: takeNumber(context, 'customer'),
    OriginalId: id,
    PublicId: randomText(context, 16),
    Name: null,
    Email: null,
    Phone: null,
    BirthdayDate: null,
    SignupDate: null,
    Document: null,
    IsEnrolled: context.settings.enrolledByDefault,
    isActive: true,
    origin: customerOrigin[origin],
    createdAt: now,
    enrolledAt: null,
    birthdayChangedAt: null,
  };
  const merged = { ...earlier, ...sent };
  const changedBirthday =
    earlier.BirthdayDate !== null && earlier.BirthdayDate !== merged.BirthdayDate;
  const row: CustomerRow = {
    ...merged,
    enrolledAt: merged.IsEnrolled ? (merged.enrolledAt ?? enrolledAt ?? now) : null,
    birthdayChangedAt: changedBirthday ? now : earlier.birthdayChangedAt,
  };
  context.tables.customers.put(id, row);
  return row;
}

/**
 * Who is meant by an id of a path or body. Customer paths take the id in the store, "usually e-mail";
 * the operations under /POS take e-mail or document, and by the settings the id in the store.
 */
export function findCustomer(
  { tables }: Context,
  id: string | null | undefined,
  by: 'any' | 'email-or-document' | 'store-id-or-email',
): CustomerRow | undefined {
  const text = id?.trim().toLowerCase() ?? '';
  if (text === '') return undefined;
  const byStoreId = by === 'email-or-document' ? undefined : tables.customers.get(id ?? '');
  if (byStoreId) return byStoreId;
  return [...tables.customers.values()].find((one) =>
    isNamedBy(by === 'store-id-or-email' ? { ...one, Document: null } : one, text),
  );
}

const digitsOf = (document: string | null | undefined) => document?.replace(/\D/g, '') ?? '';

/** `text`: an e-mail address in small letters, or the digits of a document. */
const isNamedBy = ({ Email, Document }: CustomerRow, text: string): boolean =>
  text !== '' && (Email?.toLowerCase() === text || digitsOf(Document) === text);

/** The rules of a customer inside an order: `planCustomer`. */
export function upsertCustomer(context: Context, call: Call): Answer<'CustomerUpsertResult'> {
  const faults = call.faults.map((fault) => inCustomer(fault));
  const found: Fault[] = [];
  const fields = readFields(call.body, found);
  if (!fields) return refuse(40, describeFaults([...call.faults, ...found]));
  const plan = planCustomer(context, fields, [...faults, ...found.map(inCustomer)], 'upsert');
  if (plan.kind === 'refused') return plan;
  const row = saveCustomer(context, plan);
  const balance = balanceOf(context, row.OriginalId);
  return done({
    ...describeCustomer(context, row),
    BalanceOfPoints: fromHundredths(balance.points),
    BalanceCashback: fromHundredths(balance.cashback),
    Operation: plan.before ? 'updated' : 'created',
  });
}

function inCustomer({ path, problem }: Fault): Fault {
  return { path: path === '' ? 'Customer' : `Customer.${path}`, problem };
}

/** 59 unknown customer; 67 no Reason; 7 what is missing or cannot be read. */
export function changeCustomerStatus(
  context: Context,
  call: Call,
): Outcome<{ OriginalId: string; IsEnabled: boolean }> {
  const row = context.tables.customers.get(call.path.originalId ?? '');
  if (!row) return refuse(59, 'No customer has this id.');
  const faults = call.faults.filter(({ path }) => path !== 'Reason');
  const fields = readFields(call.body, faults);
  const isActive = fields?.flag('IsEnabled') ?? null;
  const reason = fields?.key('Reason') ?? null;
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  if (reason === null) return refuse(67, 'Reason must be given.');
  if (isActive === null) return refuse(7, 'IsEnabled must be given.');
  context.tables.customers.put(row.OriginalId, { ...row, isActive });
  return done({ OriginalId: row.OriginalId, IsEnabled: isActive });
}

/** 59 for an unknown customer. */
export function getCustomer(context: Context, call: Call): Answer<'CustomerResult'> {
  const row = findCustomer(context, call.path.id, 'store-id-or-email');
  return row ? done(describeCustomer(context, row)) : refuse(59, 'No customer has this id.');
}

function describeCustomer(context: Context, row: CustomerRow): Schemas['CustomerResult'] {
  const tier = tierOf(context, row.OriginalId);
  // Documented: null while the program has no referral objective. The form of the address is not shown.
  const referral = `https://friends.example.com/r/${row.PublicId}`;
  return {
    ...knownFields({
      OriginalId: row.OriginalId,
      PublicId: row.PublicId,
      Name: row.Name,
      Email: row.Email,
      Phone: row.Phone,
      BirthdayDate: row.BirthdayDate,
      SignupDate: row.SignupDate,
      Document: row.Document,
      IsEnrolled: row.IsEnrolled,
    }),
    ReferralURL: referral,
    WhatsappReferralUrl: `https://wa.me/?text=${encodeURIComponent(`A gift for you: ${referral}`)}`,
    CurrentTier: { Name: tier.name, Color: tier.color, IconUrl: iconUrl(tier) },
  };
}
