import { expect } from 'vitest';
import type { PartialSettings } from '../../local/loyalty-sandbox/settings.ts';
import { askLoyalty } from './ask-loyalty.ts';
import type { Connectors } from './running-connector.ts';
import { openProgram, type Program } from './running-program.ts';
import type { BothSettings } from './store-and-connector.ts';

/**
 * The only assumption about the sandbox: with these settings it takes two members with one e-mail address or document,
 * and the operations under /POS mean the one that came first. `openTwoMembers` checks that before a test relies on it.
 */
export const TAKES_TWO_MEMBERS: PartialSettings = { posCustomerId: 'email-or-document' };

/** What both members have. */
export const CONTACTS = {
  'e-mail address': { Email: 'robin.sampleson@example.com' },
  document: { Document: '529.982.247-25' },
} as const satisfies Record<string, { readonly Email?: string; readonly Document?: string }>;

export type Contact = keyof typeof CONTACTS;

/** Where the other member came from: the id under which the service has them. */
export const ORIGINS = {
  'another shop': '6949999999999',
  'a till': 'till-0042',
  // Who signs up by a PIN has no id of a store.
  'a sign-up at a till': 'robin.sampleson@example.com',
} as const;

type Origin = keyof typeof ORIGINS;

interface Given {
  readonly contact?: Contact;
  readonly origin?: Origin;
  /** Points of the shopper, and of the other member. */
  readonly own?: number;
  readonly theirs?: number;
  readonly settings?: Partial<BothSettings>;
}

/** What the other member would be recognised by, if anything of them were shown: no reward or tier has this number. */
const THEIR_NAME = 'Wilhelmina';
export const THEIRS = 543;

/** A shopper of this shop, and another member of the program who has the same e-mail address or document. */
export async function openTwoMembers(
  connectors: Connectors,
  {
    contact = 'e-mail address',
    origin = 'another shop',
    own = 0,
    theirs = THEIRS,
    settings = {},
  }: Given = {},
) {
  const program = await openProgram(connectors, {
    ...settings,
    storefront: { readsPerMinute: 1_000, ...settings.storefront },
  });
  const other = ORIGINS[origin];
  await addMember(program, other, theirs, {
    Name: `${THEIR_NAME} Elsewhere`,
    ...theirsOf(contact),
  });
  const robin = await addShopper(program, contact, own);
  await expectMeant(program, contact, theirs);
  return { ...program, robin, member: other, ...judge(program, robin, other, { own, theirs }) };
}

/** Written in another way, which means the same. */
const theirsOf = (contact: Contact) =>
  contact === 'document'
    ? { Email: 'wilhelmina.elsewhere@example.com', Document: '52998224725' }
    : { Email: 'Robin.Sampleson@Example.com' };

/** In the store and in the program. Who is known by a document has no e-mail address in either. */
export async function addShopper(program: Program, contact: Contact, points: number) {
  const { Email } = { Email: undefined, ...CONTACTS[contact] };
  const { id } = program.store.actions.createCustomer({
    ...{ firstName: 'Robin', lastName: 'Sampleson' },
    ...(Email ? { email: Email } : { phone: '+15555550133' }),
  });
  program.connector.confidential.addPersonal({
    customer: { first_name: 'Sampleson', email: CONTACTS['e-mail address'].Email },
  });
  await addMember(program, id, points, { Name: 'Robin Sampleson', ...CONTACTS[contact] });
  return id;
}

export async function addMember(
  { loyalty, give, connector }: Program,
  OriginalId: string,
  points: number,
  fields: { readonly Name: string; readonly Email?: string; readonly Document?: string },
): Promise<void> {
  connector.confidential.addPersonal({
    customer: { first_name: fields.Name, email: fields.Email, document: fields.Document },
  });
  await askLoyalty(loyalty, 'POST', '/Customer/upsert', { OriginalId, ...fields });
  if (points > 0) await give(OriginalId, points);
}

/** The member whom the service means by what both have has these points. */
export async function expectMeant(
  { loyalty }: Program,
  contact: Contact,
  points: number,
): Promise<void> {
  const { Email, Document } = { Email: '', Document: '', ...CONTACTS[contact] };
  const CustomerId = Email || Document.replace(/\D/g, '');
  const asked = { CustomerId, PurchaseValue: 100 };
  const answer = await askLoyalty(loyalty, 'POST', '/POS/rewards/available', asked);
  if (answer.AvailablePoints !== points) {
    throw new Error(`the sandbox means a member with ${answer.AvailablePoints} points`);
  }
}

interface Answer {
  readonly status: number;
  readonly answerText: string;
  readonly json: ReturnType<typeof JSON.parse>;
}

/** What a stranger can see of both members, in the service and in the store. */
export function judge(
  { connector, loyalty, store, pointsOf, spentBy, codesOf, rest }: Program,
  robin: string,
  other: string,
  { own, theirs }: { readonly own: number; readonly theirs: number },
) {
  const from = connector.output.lines().length;
  const codesAtFirst = store.rows.codes.size;
  const judged = {
    /** Refused for good, in a sentence that tells nothing of the other. */
    expectRefusal({ status, answerText, json }: Answer): void {
      expect([status, status >= 400 && status < 500 && status !== 429]).toEqual([status, true]);
      expect(json.error.message).toMatch(/^\p{Lu}.{15,}\.$/su);
      judged.expectSilent(answerText);
    },

    /** No page may show anything of the other. */
    expectSilent(answerText: string): void {
      for (const text of [THEIR_NAME, 'Elsewhere']) expect(answerText).not.toContain(text);
      expect(answerText).not.toMatch(new RegExp(`(?<![\\d.])${theirs}(?!\\d)`));
      if (!other.includes('@')) expect(answerText).not.toContain(other);
    },

    /** The other has every point, and nothing of them is held. */
    expectOtherUntouched(): void {
      expect([pointsOf(other), spentBy(other)]).toEqual([theirs, 0]);
    },

    /** Nothing was spent of anybody, and there is no code: now, and when all that waits is done. */
    async expectNothingSpent(): Promise<void> {
      for (let turn = 0; turn < 2; turn += 1) {
        judged.expectOtherUntouched();
        expect([pointsOf(robin), spentBy(robin), codesOf(robin)]).toEqual([own, 0, 0]);
        expect(store.rows.codes.size).toBe(codesAtFirst);
        await rest();
      }
    },

    /**
     * A line for the operator: it says that the customer means another member, and what to do. How it masks the two
     * is not fixed; that it shows neither of their contacts is checked at the end of every file.
     */
    expectOperatorTold(): void {
      const told = connector.output
        .lines()
        .slice(from)
        .filter((line) => /another member|other member|two members/i.test(JSON.stringify(line)));
      expect(told.length).toBeGreaterThan(0);
    },

    /** The calls of one act, by operation. */
    async callsOf(act: () => Promise<unknown>): Promise<readonly string[]> {
      const { n: since = 0 } = loyalty.journal.entries().at(-1) ?? {};
      await act();
      return loyalty.journal.entries({ since }).map(({ operation }) => operation ?? '');
    },
  };
  return judged;
}
