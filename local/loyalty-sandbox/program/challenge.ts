import type { Call } from '../call.ts';
import type { Context } from './context.ts';
import { findCustomer, saveCustomer } from './customers.ts';
import { type Answer, describeFaults, done, refuse } from './outcome.ts';
import { readBody } from './read-fields.ts';
import type { ChallengeRow, CustomerRow } from './rows.ts';

/**
 * 7 for a body that cannot be read or has no TransactionId; 59 for an unknown customer, unless the program
 * wants a challenge: then they are a newcomer, who signs up by it. A PIN that cannot be sent is no error:
 * `Success` is false, and the answer asks for a phone number or an e-mail address. No message is sent: the PIN is
 * on the page and in the state.
 */
export function startChallenge(context: Context, call: Call): Answer<'ChallengeStartResult'> {
  const { faults, fields } = readBody(call);
  const TransactionId = fields?.key('TransactionId') ?? null;
  const typed = { phone: fields?.key('Phone') ?? null, email: fields?.key('Email') ?? null };
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  if (TransactionId === null) return refuse(7, 'TransactionId must be given.');
  const customer = findPerson(context, call);
  const newcomer = customer ? null : newcomerOf(context, call);
  if (!customer && !newcomer) return refuse(59, 'No customer has this id.');

  const { Phone = null, Email = null } = customer ?? newcomer ?? {};
  const reached = { phone: Phone ?? typed.phone, email: Email ?? typed.email };
  const ways = WAYS[context.settings.challengeSentBy];
  const way = ways.find((one) => reached[one] !== null);
  const pin = way ? String(Math.floor(context.random() * 10_000)).padStart(4, '0') : null;
  if (pin !== null) {
    const customerId = customer?.OriginalId ?? newcomerId(call);
    context.tables.challenges.put(customerId, {
      customerId,
      transactionId: TransactionId,
      pin,
      newcomer: newcomer && { ...newcomer, Phone: reached.phone, Email: reached.email },
      startedAt: context.now().toISOString(),
      passed: false,
    });
  }
  const asked = ways.map((one) => WORDS[one]).join(' or ');
  return done({
    Success: pin !== null,
    FriendlyErrorMessage: pin === null ? `Ask the customer for ${asked}.` : null,
    ErrorMessage: pin === null ? 'There is no way to reach the customer.' : null,
    ShouldInformPhone: pin === null && ways.includes('phone'),
    ShouldInformEmail: pin === null && ways.includes('email'),
    SentBySMS: way === 'phone',
    SentByEmail: way === 'email',
    TransactionId,
    Code: pin,
  });
}

const WAYS: Readonly<
  Record<Context['settings']['challengeSentBy'], readonly ('phone' | 'email')[]>
> = { 'sms-or-email': ['phone', 'email'], sms: ['phone'], email: ['email'] };

const WORDS = { phone: 'a phone number', email: 'an e-mail address' } as const;

/**
 * 59 for an unknown customer to whom no PIN was sent, 7 for a body that cannot be read. A wrong PIN is no error,
 * nor is a right one under another TransactionId.
 */
export function validateChallenge(context: Context, call: Call): Answer<'ChallengeAnswerResult'> {
  const { challenges } = context.tables;
  const customer = findPerson(context, call);
  const challenge = challenges.get(customer?.OriginalId ?? newcomerId(call));
  if (!customer && !challenge) return refuse(59, 'No customer has this id.');
  const { faults, fields } = readBody(call);
  const pin = fields?.key('Code') ?? null;
  const TransactionId = fields?.key('TransactionId') ?? null;
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  if (challenge?.transactionId !== TransactionId || challenge?.pin !== pin) {
    const FriendlyErrorMessage = 'This code is wrong, or it is too old.';
    return done({ Success: false, FriendlyErrorMessage, TransactionId });
  }
  challenges.put(challenge.customerId, { ...challenge, passed: true });
  if (!customer) signUp(context, challenge);
  return done({ Success: true, FriendlyErrorMessage: null, TransactionId });
}

export function isChallengePassed({ tables }: Context, { OriginalId }: CustomerRow): boolean {
  return tables.challenges.get(OriginalId)?.passed === true;
}

function findPerson(context: Context, { path }: Call): CustomerRow | undefined {
  return findCustomer(context, path.id, context.settings.posCustomerId);
}

const newcomerId = ({ path }: Call): string => path.id?.trim().toLowerCase() ?? '';

/** Documented: the id is an e-mail address, or the digits of a document. */
function newcomerOf({ settings }: Context, call: Call): ChallengeRow['newcomer'] {
  const id = newcomerId(call);
  if (settings.challenge === 'off' || id === '') return null;
  return id.includes('@')
    ? { Email: id, Phone: null, Document: null }
    : { Email: null, Phone: null, Document: id };
}

/** The id in the store of a customer who signs up so is not shown: "usually e-mail". */
function signUp(context: Context, { customerId, newcomer }: ChallengeRow): void {
  saveCustomer(context, {
    kind: 'planned',
    id: customerId,
    before: undefined,
    sent: { ...newcomer, IsEnrolled: true },
    origin: 'challenge',
  });
}
