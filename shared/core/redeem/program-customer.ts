import type { LoyaltyClient } from '../../loyalty/client.ts';
import { type AskingWorld, askLoyalty, type Unavailable } from '../storefront/ask-loyalty.ts';
import { createTimedCache } from '../storefront/timed-cache.ts';

/** How the service's reward operations name a customer. */
type PosCustomerId = 'email-or-document' | 'store-id';

type ProgramId =
  /** Personal data: for requests to the service, never for a log. */
  | { readonly kind: 'id'; readonly id: string }
  /** The service does not know the customer, or has neither e-mail nor document of them. */
  | { readonly kind: 'not-a-member' }
  | Unavailable;

/** The `CustomerId` of a customer of the store in the service's reward operations. */
export type ProgramIdOf = (customerId: string) => Promise<ProgramId>;

export interface ProgramIdWorld extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'getCustomer'>;
  readonly posCustomerId: PosCustomerId;
}

/** A list of rewards and a click on one of them need one request. */
const SECONDS = 60;
const MOST = 2_000;

export function createProgramIds(world: ProgramIdWorld): ProgramIdOf {
  const known = createTimedCache<string>({ seconds: SECONDS, most: MOST, now: world.now });
  return async (customerId) => {
    if (world.posCustomerId === 'store-id') return { kind: 'id', id: customerId };
    const id = known.recall(customerId) ?? (await readId(customerId, world));
    if (typeof id !== 'string') return id;
    known.keep(customerId, id);
    return { kind: 'id', id };
  };
}

async function readId(
  customerId: string,
  world: ProgramIdWorld,
): Promise<string | Exclude<ProgramId, { kind: 'id' }>> {
  const asked = await askLoyalty(
    'getCustomer',
    (options) => world.loyalty.getCustomer(customerId, options),
    world,
  );
  if (asked.kind === 'unavailable') return asked;
  if (asked.kind === 'refused') return { kind: 'not-a-member' };
  const { OriginalId, Email, Document } = asked.value;
  // The path also takes e-mail addresses: another customer's points must not be spent.
  const isAnother = OriginalId !== undefined && OriginalId !== customerId;
  // Documented: of a document, only the digits.
  const id = Email?.trim() || Document?.replace(/\D/g, '');
  return isAnother || !id ? { kind: 'not-a-member' } : id;
}
