import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call, Fault } from '../call.ts';
import { customerOrigin } from './assigned-numbers.ts';
import { type Context, randomText, takeNumber } from './context.ts';
import { knownFields } from './known-fields.ts';
import { describeFaults, done, type Outcome, type Refusal, refuse } from './outcome.ts';
import { type Fields, isBlank } from './read-fields.ts';
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
 * be read (of a new or a known customer), 50 neither document nor e-mail, 51 characters of the
 * document, 118 and 119 e-mail or document of someone else, 72 another birthday.
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
  }) as CustomerPlan['sent'];
  const before = context.tables.customers.get(id);
  const mine = faults.filter(isCustomerFault);
  if (mine.length > 0) return refuse(before ? 41 : 40, describeFaults(mine));
  return (
    findBrokenRule(context, id, { ...before, ...sent }, before) ?? {
      kind: 'planned',
      id,
      before,
      sent,
      origin,
    }
  );
}

function findBrokenRule(
  { settings, tables }: Context,
  id: string,
  { Email, Document, BirthdayDate }: Partial<CustomerRow>,
  before: CustomerRow | undefined,
): Refusal | undefined {
  if (settings.requireDocumentOrEmail && isBlank(Email) && isBlank(Document)) {
    return refuse(50, 'Customer.Email or Customer.Document must be given.');
  }
  if (settings.documentAlphanumericOnly && Document && !/^[\p{L}\p{N}]*$/u.test(Document)) {
    return refuse(51, 'Customer.Document may hold letters and digits only.');
  }
  const others = () => [...tables.customers.values()].filter((row) => row.OriginalId !== id);
  const same = (a: string | null, b: string) => a?.toLowerCase() === b.toLowerCase();
  if (settings.uniqueEmail && Email && others().some((row) => same(row.Email, Email))) {
    return refuse(118, 'Customer.Email belongs to another customer.');
  }
  if (settings.uniqueDocument && Document && others().some((row) => same(row.Document, Document))) {
    return refuse(119, 'Customer.Document belongs to another customer.');
  }
  if (settings.birthdayIsFinal && before?.BirthdayDate && BirthdayDate) {
    if (Date.parse(before.BirthdayDate) !== Date.parse(BirthdayDate)) {
      return refuse(72, 'Customer.BirthdayDate cannot be changed.');
    }
  }
  return undefined;
}

export function saveCustomer(
  context: Context,
  { id, before, sent, origin }: CustomerPlan,
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
    enrolledAt: merged.IsEnrolled ? (earlier.enrolledAt ?? now) : null,
    birthdayChangedAt: changedBirthday ? now : earlier.birthdayChangedAt,
  };
  context.tables.customers.put(id, row);
  return row;
}

/** 59 for an unknown customer. */
export function getCustomer(
  context: Context,
  call: Call,
): Outcome<components['schemas']['CustomerResult']> {
  const row = context.tables.customers.get(call.path.id ?? '');
  if (!row) return refuse(59, 'No customer has this id.');
  const tier = tierOf(context, row.OriginalId);
  return done({
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
    // The referral objective is off in the sandbox.
    ReferralURL: null,
    WhatsappReferralUrl: null,
    CurrentTier: { Name: tier.name, Color: tier.color, IconUrl: iconUrl(tier) },
  });
}
