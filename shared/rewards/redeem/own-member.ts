import {
  type AskingDeps,
  askLoyalty,
  createTimedCache,
  type Unavailable,
} from '../../core/calls/call-loyalty.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import { plainDocument } from '../../loyalty/read-point-event.ts';
import type { Referral } from '../../store/storefront-answers.gen.ts';

/**
 * The store proves the caller by the id of the store. The service's reward operations take an e-mail address or a
 * document, which another member may have, too. So nothing is spent, given, answered or shown before both hold:
 *
 *   find    the record under the id of the store names that id
 *   prove   what is sent for the caller stands for that record
 *
 * An answer that names no id proves nothing.
 * See docs/decisions/0024-the-service-decides-and-one-read-shows-it.md.
 */
export interface Members {
  /** The caller's own record. Customer operations, which take the id of the store, need no other proof. */
  find(customerId: string): Promise<FoundMember>;
  /** `named`: the customer of an answer to `programId`, whatever fields it has; undefined where there is none. */
  prove(customerId: string, programId: string, named: unknown): Promise<Proof>;
}

type CustomerRecord = components['schemas']['CustomerResult'];

type FoundMember =
  | {
      readonly kind: 'member';
      /** Of the reward operations; undefined without e-mail and document. Personal data: never for a log. */
      readonly programId: string | undefined;
      readonly referral: Referral | null;
    }
  | { readonly kind: 'not-a-member' }
  | AnotherMember
  | Unavailable;

type Proof = { readonly kind: 'own' } | AnotherMember | Unavailable;

/** Somebody else's, or nobody can say whose. */
interface AnotherMember {
  readonly kind: 'another-member';
}

interface MembersDeps extends AskingDeps {
  readonly shop: string;
  readonly loyalty: Pick<LoyaltyClient, 'getCustomer' | 'getCustomerPoints'>;
  /** How the service's reward operations name a customer. */
  readonly posCustomerId: 'email-or-document' | 'store-id';
}

const MOST_CUSTOMERS = 2_000;
/** A list of rewards and a click on one of them need one request. */
const RECORD_SECONDS = 60;
/** The service gives a member one id for good. An operator needs one line, not one for each page. */
const ID_SECONDS = 3_600;

const OWN = { kind: 'own' } as const;

/** In the log; docs/runbook.md explains it. */
export const ANOTHER_MEMBER =
  'the loyalty service takes another member for this customer: nothing was shown, spent or given; let only one of the two have the e-mail address or document (docs/runbook.md, "Two members")';

export function createMembers(deps: MembersDeps): Members {
  const { now, shop, posCustomerId, telemetry } = deps;
  const limits = { most: MOST_CUSTOMERS, now };
  const records = createTimedCache<FoundMember>({ ...limits, seconds: RECORD_SECONDS });
  /** The service's own id of the caller, as its answers name it. */
  const ids = createTimedCache<string>({ ...limits, seconds: ID_SECONDS });
  const told = createTimedCache<true>({ ...limits, seconds: ID_SECONDS });

  function another(customerId: string, other: unknown): AnotherMember {
    if (!told.recall(customerId)) {
      const fields = { shop, customerId, other: masked(other) };
      telemetry.log('error', ANOTHER_MEMBER, fields);
    }
    told.keep(customerId, true);
    return { kind: 'another-member' };
  }

  return {
    async find(customerId) {
      const recalled = records.recall(customerId);
      if (recalled) return recalled;
      const asked = await askLoyalty('getCustomer', [customerId], deps);
      if (asked.kind === 'unavailable') return asked;
      if (asked.kind === 'refused') return { kind: 'not-a-member' };
      const { OriginalId } = asked.value;
      if (OriginalId !== customerId) return another(customerId, OriginalId);
      const programId =
        posCustomerId === 'store-id' ? customerId : emailOrDocument(asked.value) || undefined;
      const found = { kind: 'member', programId, referral: referralOf(asked.value) } as const;
      records.keep(customerId, found);
      return found;
    },

    async prove(customerId, programId, named) {
      const { OriginalId, Id, Document }: Partial<Record<string, unknown>> = Object(named);
      if (OriginalId !== undefined && OriginalId !== null) {
        return OriginalId === customerId ? OWN : another(customerId, OriginalId);
      }
      // What was found by a document of the same digits is no proof; an id as text may be the document, too.
      const isDocument = plainDocument(String(Document)) === customerId;
      const isStoreId = programId === customerId ? posCustomerId === 'store-id' : Id === customerId;
      if (isStoreId && !isDocument) return OWN;
      // A number is the service's own.
      const id = typeof Id === 'number' ? String(Id) : undefined;
      if (id !== undefined && ids.recall(customerId) === id) return OWN;
      if (id !== undefined) {
        const asked = await askLoyalty('getCustomerPoints', [customerId], deps);
        if (asked.kind === 'unavailable') return asked;
        if (asked.kind === 'answered' && asked.value.InternalId === id) {
          ids.keep(customerId, id);
          return OWN;
        }
      }
      // The path of a customer is documented to take an e-mail address, and no document.
      if (!programId.includes('@')) return another(customerId, Id);
      const asked = await askLoyalty('getCustomer', [programId], deps);
      if (asked.kind === 'unavailable') return asked;
      const found = asked.kind === 'answered' ? asked.value.OriginalId : undefined;
      if (found !== customerId) return another(customerId, found);
      if (id !== undefined) ids.keep(customerId, id);
      return OWN;
    },
  };
}

/** Documented: of a document, only the digits. */
const emailOrDocument = ({ Email, Document }: CustomerRecord) =>
  Email?.trim() || Document?.replace(/\D/g, '');

/** An id that may be an e-mail address or a document. */
function masked(id: unknown): string {
  const text = typeof id === 'string' || typeof id === 'number' ? String(id) : '';
  return text === '' ? 'not named' : `…${text.slice(-Math.min(4, text.length >> 1))}`;
}

/** Pages make links of them, so they are addresses of the web or nothing. */
function referralOf({ ReferralURL, WhatsappReferralUrl }: CustomerRecord): Referral | null {
  const [url, whatsappUrl] = [ReferralURL, WhatsappReferralUrl].map((text) =>
    text && /^https?:\/\//i.test(text) ? text : null,
  );
  return url ? { url, whatsappUrl: whatsappUrl ?? null } : null;
}
