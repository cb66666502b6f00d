import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import type { Context } from './context.ts';
import { findCustomer } from './customers.ts';
import { describeFaults, done, type Outcome, refuse } from './outcome.ts';
import { readFields } from './read-fields.ts';
import type { CustomerRow } from './rows.ts';

type Result = components['schemas']['ChallengeResult'];

/** 59 for an unknown customer. No e-mail is sent: the PIN is on the page and in the state. */
export function startChallenge(context: Context, { path }: Call): Outcome<Result> {
  const customer = findCustomer(context, path.id, context.settings.posCustomerId);
  if (!customer) return refuse(59, 'No customer has this id.');
  context.tables.challenges.put(customer.OriginalId, {
    customerId: customer.OriginalId,
    pin: String(Math.floor(context.random() * 10_000)).padStart(4, '0'),
    startedAt: context.now().toISOString(),
    passed: false,
  });
  return done({ Success: true, Message: null });
}

/** 59 for an unknown customer, 7 for a body that cannot be read. A wrong PIN is no error. */
export function validateChallenge(context: Context, call: Call): Outcome<Result> {
  const customer = findCustomer(context, call.path.id, context.settings.posCustomerId);
  if (!customer) return refuse(59, 'No customer has this id.');
  const faults = [...call.faults];
  const pin = readFields(call.body, faults)?.key('Code') ?? null;
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  const challenge = context.tables.challenges.get(customer.OriginalId);
  if (!challenge || challenge.pin !== pin) return done({ Success: false, Message: 'Wrong PIN.' });
  context.tables.challenges.put(customer.OriginalId, { ...challenge, passed: true });
  return done({ Success: true, Message: null });
}

export function isChallengePassed({ tables }: Context, { OriginalId }: CustomerRow): boolean {
  return tables.challenges.get(OriginalId)?.passed === true;
}
