import type { StoreEvent } from '../../../shared/core/events/event.ts';
import { encodeErasure } from '../../../shared/core/store/store.ts';
import { openIn } from '../../../shared/rewards/redeem/redemption-record.ts';
import { maskPerson } from '../ground/compare/mask-personal.ts';
import { NOT_SEEN } from '../ground/letters/read-letters.ts';
import { findShop } from '../ground/session/arguments.ts';
import { AUDIT_DAYS } from '../ground/session/audit-records.ts';
import type { Deployment } from '../ground/session/deployment.ts';
import { localUser } from '../ground/session/read-caller.ts';
import { commandsOf } from '../ground/session/services.ts';
import {
  type Change,
  type CommonOptions,
  carryOut,
  type Session,
} from '../ground/session/session.ts';
import {
  type Block,
  type Document,
  REVEALS,
  right,
  type Suggestion,
  table,
  text,
  type Verdict,
} from '../ground/terminal/document.ts';
import { type ExitCode, Problem } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { counted, utcText } from '../ground/terminal/text.ts';
import { dropLetters, openLetters } from './change-letters.ts';
import { findKept, findSubject, type Kept, type Subject } from './find-kept.ts';
import { sendAndFollow } from './follow-letters.ts';

interface PrivacyOptions extends CommonOptions {
  readonly reveal?: boolean;
}

export async function showKept(
  session: Session,
  { shop: named, reveal = false }: PrivacyOptions,
  customer = '',
): Promise<Document> {
  const deployment = await session.findDeployment();
  const subject = await findSubject(deployment, findShop(deployment.connector, named), customer);
  const about = aboutOf(subject);
  const record = reveal && (await session.beginChange(deployment, 'reveal', about));
  const kept = await findKept(session, deployment, subject);
  if (record) record.count({ revealed: 1 });
  const again = line('privacy show', [subject.id ?? ''], {
    shop: subject.shop.domain,
    reveal: true,
  });
  return {
    ...documentOf(kept, deployment, reveal),
    next: [
      ...(reveal ? [] : [{ label: 'Show personal data', say: REVEALS, line: again }]),
      { label: 'Erase all of it', line: eraseLine(subject) },
    ],
  };
}

export async function eraseCustomer(
  session: Session,
  { shop, yes }: PrivacyOptions,
  customer = '',
): Promise<Document | ExitCode> {
  const deployment = await session.findDeployment();
  const subject = await findSubject(deployment, findShop(deployment.connector, shop), customer);
  return eraseSubject(session, deployment, subject, yes);
}

export async function eraseShop(
  session: Session,
  { yes }: PrivacyOptions,
  named = '',
): Promise<Document | ExitCode> {
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, named);
  return eraseSubject(session, deployment, { shop, id: undefined, contacts: [], orders: [] }, yes);
}

/** In audit records; an e-mail address that was typed is in none. */
const aboutOf = ({ shop, id }: Subject) => ({
  shop: shop.domain,
  ...(id !== undefined && { customer: id }),
});

/** Show what is kept → ask → record who → erase → look again. */
async function eraseSubject(
  session: Session,
  deployment: Deployment,
  subject: Subject,
  yes: boolean | undefined,
): Promise<Document | ExitCode> {
  const kept = await findKept(session, deployment, subject);
  if (kept.lettersHeld > 0) {
    const what = `${counted(kept.lettersHeld, 'dead letter')} cannot be read now: another person or a killed run has received them.`;
    // Once the ledger is erased, nothing may say any more that they are theirs.
    throw new Problem(`${what} Nothing was erased.`, 'Repeat the command in five minutes.');
  }
  const { title, blocks, data } = documentOf(kept, deployment, false);
  const erase = eraseLine(subject, true);
  return carryOut(session, deployment, yes, {
    preview: () => ({
      ...{ title, data },
      blocks: [...blocks, ...openTexts(kept)],
      next: [{ label: 'Erase all of it', line: erase }],
    }),
    question: `Erase everything about ${nameOf(subject)}? It cannot be undone.`,
    about: aboutOf(subject),
    act: (change) => eraseKept(session, deployment, kept, change),
  });
}

const nameOf = ({ shop, id }: Subject) =>
  id === undefined ? `all customers of ${shop.domain}` : `customer ${id} of ${shop.domain}`;

const eraseLine = ({ shop, id }: Subject, yes = false) =>
  id === undefined
    ? line('privacy erase-shop', [shop.domain], { yes })
    : line('privacy erase', [id], { shop: shop.domain, yes });

const openTexts = ({ items }: Kept) => {
  const open = items.flatMap(({ kind, entry }) =>
    kind === 'redemption' ? openIn(entry.remembered, new Date()) : [],
  );
  const what = `${counted(open.length, 'redemption')} not finished: it is erased when finished, or after a day.`;
  return open.length === 0 ? [] : [text(what, 'pending')];
};

/**
 * Dead letters first: once the ledger is erased, nothing here says which e-mail address was theirs. Then the workers erase
 * the ledger, as when the store asks for it: see docs/personal-data.md.
 */
async function eraseKept(
  session: Session,
  deployment: Deployment,
  kept: Kept,
  change: Change,
): Promise<Document> {
  const signal = session.interruption();
  let dropped = 0;
  const isOpen = openTexts(kept).length > 0;
  // The worker of an open redemption may need its message still.
  const letters = kept.letters.filter(({ event }) => !isOpen || event?.kind !== 'redemption');
  if (letters.length > 0) {
    await dropLetters({
      ...openLetters(session, deployment, letters),
      onDropped(some) {
        dropped += some;
        change.count({ dropped });
      },
    });
  }
  const onSent = (erased: number) => change.count({ erased });
  await sendAndFollow(session, deployment, eventsOf(kept, new Date()), { onSent });
  const left = await findKept(session, deployment, kept);
  const { title: _, ...rest } = documentOf(left, deployment, false);
  return { title: `Erase ${nameOf(kept)}`, ...rest, ...judgeLeft(left, signal.aborted) };
}

/**
 * Through the queue: the group of the customer has one worker at a time, who waits for an open redemption, keeps to pause and
 * rate limit, and may write what an operator may not.
 */
export function eventsOf({ shop, id, ids, items }: Kept, now: Date): readonly StoreEvent[] {
  const at = now.toISOString();
  const byOwner = Map.groupBy(
    items.filter((one) => one.isPersonal),
    (one) => one.owner,
  );
  // Of a shop, those who were erased before the command was interrupted are left out.
  const owners = id === undefined ? [...byOwner.keys()] : [...ids];
  return owners.map((owner) => {
    const orders = (byOwner.get(owner) ?? []).filter(({ kind }) => kind === 'order');
    return {
      ...{ shop: shop.domain, kind: 'customer', id: owner, topic: 'privacy/erase', receivedAt: at },
      ...{ claim: 'customer-redaction', origin: 'backfill', replays: [{ at, by: localUser() }] },
      ...{ body: encodeErasure(orders.map((one) => one.id)), deliveryId: `privacy/${owner}/${at}` },
    };
  });
}

function judgeLeft(left: Kept, isInterrupted: boolean): Pick<Document, 'verdict' | 'next'> {
  const { items, letters, lettersNotSeen = 0, waits, unread, store, shop } = left;
  const again = { label: 'Go on erasing', line: eraseLine(left) };
  const retry = { label: 'Retry now', line: line('retry-now', [], { shop: shop.domain }) };
  const say = (kind: Verdict['kind'], what: string, ...next: readonly Suggestion[]) => ({
    verdict: { kind, what },
    next,
  });
  if (isInterrupted)
    return say('action required', 'It was interrupted. Repeat the command.', again);
  const held = letters.length + lettersNotSeen;
  if (held > 0) {
    const what = `${counted(held, 'dead letter')} may be left: ${NOT_SEEN}`;
    return say('action required', what, again);
  }
  const personal = items.filter((one) => one.isPersonal).length;
  if (personal + waits.length > 0) {
    const what = `Still in progress: ${counted(personal, 'item')} of the ledger and ${counted(waits.length, 'waiting message')}. Repeat the command to see whether they are done.`;
    return say('pending', what, ...(waits.length > 0 ? [retry] : []), again);
  }
  if (store?.kind === 'found') {
    const what = `Nothing of them is kept here. But ${commandsOf(shop).name} has them still: erase them there, or their next change brings them back.`;
    return say('action required', what);
  }
  if (unread > 0) {
    const what = `Nothing of them was found. ${counted(unread, 'message')} could not be read yet.`;
    return say('pending', what, again);
  }
  return say('ok', 'Nothing of them is kept here but what the list names.');
}

const DAY_MS = 86_400_000;
const BACKUP_DAYS = 35;
const MESSAGE_DAYS = 14;
const UNKNOWN = 'not known here';
const NO_MEMBER = 'no such member';
const IN_STORE = {
  found: 'their account and orders',
  gone: 'no such customer, perhaps orders that name them',
  unavailable: UNKNOWN,
};

/** Where else something is, or may be, for how many days, and what to know; no days: only a person ends it. */
function elsewhere(kept: Kept, { connector }: Deployment) {
  const { shop, letters, lettersNotSeen = 0, waits, unread, store, service } = kept;
  const { name } = commandsOf(shop);
  const next = waits[0] ? ` The next is tried at ${utcText(waits[0].until)}.` : '';
  const member = service?.kind === 'customer' ? 'the member, orders, points' : NO_MEMBER;
  const inService = service && service.kind !== 'unknown' ? member : UNKNOWN;
  const inStore = `Ask the merchant: they are erased in ${name}.`;
  const support = inService === NO_MEMBER ? '' : 'Ask its support: its API cannot erase.';
  const queued = `After an erasure they are processed without the person.${next} ${counted(unread, 'more message')}, about anyone, cannot be read until a worker has received it.`;
  const notSeen = lettersNotSeen > 0 ? `${lettersNotSeen} more, about anyone: ${NOT_SEEN}` : '';
  const places: readonly (readonly [string, string, number | undefined, string?])[] = [
    ['queues', counted(waits.length, 'message'), MESSAGE_DAYS, queued],
    ['dead-letter queues', counted(letters.length, 'dead letter'), MESSAGE_DAYS, notSeen],
    ['backups of the ledger', 'all of the above', BACKUP_DAYS, 'After a restore, erase again.'],
    ['logs', 'ids only', connector.deployment.logRetentionDays],
    ['records of commands and imports', "the customer's number", AUDIT_DAYS],
    ['files of "import balances"', UNKNOWN, undefined, 'Whoever imported them must delete them.'],
    [`the store (${name})`, IN_STORE[store?.kind ?? 'unavailable'], undefined, inStore],
    ['the loyalty service', inService, undefined, support],
  ];
  return places.map(([where, what, days, say]) => ({
    ...{ where, what, until: days === undefined ? null : dayOf(Date.now() + days * DAY_MS) },
    ...(say && { say }),
  }));
}

const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

const HOLDS: Readonly<Record<string, string>> = {
  order: 'the customer, as last sent',
  member: 'a hash of e-mail address and telephone number',
  customer: 'points and tier, or into whom they were merged',
  redemption: 'rewards and codes',
};

/** Where none says more of a person than their number. */
const NUMBERS: Readonly<Record<string, string>> = {
  'reward-code': 'whose reward a code is',
  notice: 'that they asked for their data',
  member: 'the mark of an erasure',
  customer: 'the mark of an erasure',
};

/** What the ledger remembers, without the name of its form. */
const contentOf = (remembered: string): object =>
  JSON.parse(/^[a-z]\d+(.+)$/s.exec(remembered)?.[1] ?? '{}');

const messageOf = ({ event, body }: Kept['letters'][number]): string =>
  event && 'body' in event && event.body ? new TextDecoder().decode(event.body) : body;

function documentOf(kept: Kept, deployment: Deployment, reveal: boolean) {
  const { id, shop, items, letters, store, service, ids } = kept;
  const rows = elsewhere(kept, deployment);
  const shown = (value: object) => (reveal ? value : maskPerson(value));
  const counts = [...Map.groupBy(items, ({ kind }) => kind)].map(([kind, some]) => {
    const ends = some.map(({ entry }) => entry.expiresAt ?? Number.POSITIVE_INFINITY);
    const last = Math.max(...ends);
    return {
      ...{ kind, items: some.length, personal: some.filter((one) => one.isPersonal).length },
      until: Number.isFinite(last) ? dayOf(last * 1_000) : null,
    };
  });
  // Of a shop, as many as there are: it has millions.
  const entries = items.map(({ kind, id, entry: { remembered, redactedAt, expiresAt } }) => ({
    ...{ kind, id, isErased: redactedAt !== undefined && remembered === undefined },
    ...(remembered !== undefined && { holds: shown(contentOf(remembered)) }),
    until: expiresAt === undefined ? null : dayOf(expiresAt * 1_000),
  }));
  const data = {
    ...{ shop: shop.domain, customers: id === undefined ? ids.size : [...ids] },
    ledger: id === undefined ? counts : entries,
    deadLetters: letters.map((one) => ({
      ...{ id: one.letterId, kind: one.event?.kind ?? null, about: one.event?.id ?? null },
      ...(reveal && { message: messageOf(one) }),
    })),
    store: store?.kind === 'found' ? shown(store.value) : null,
    service: service?.kind === 'customer' ? shown(service.customer) : null,
    elsewhere: rows,
  };
  const inFull: Block = { kind: 'code', title: 'In full', text: JSON.stringify(data, null, 2) };
  return {
    title: `What is kept of ${nameOf(kept)}`,
    blocks: [
      table(
        ['In the ledger', right('Items'), right('Personal'), 'Holds', 'Kept until'],
        counts.map(({ kind, items, personal, until }) => {
          const holds = personal === 0 ? NUMBERS[kind] : HOLDS[kind];
          return [kind, items, personal, holds ?? 'the number', until ?? 'the customer is gone'];
        }),
        { empty: 'The ledger has nothing of them.' },
      ),
      table(
        ['Elsewhere', 'What', 'Until'],
        rows.map(({ where, what, until, say: detail }) => ({
          cells: [where, what, until ?? ''],
          ...(detail !== undefined && { detail }),
        })),
      ),
      ...(reveal ? [inFull] : []),
    ],
    data,
  };
}
