import { SQS } from '@aws-sdk/client-sqs';
import { listRecords } from '../../../shared/aws/read-ledger.ts';
import { createSqsEventQueue } from '../../../shared/aws/sqs-queues.ts';
import type { WaitsFor } from '../../../shared/core/batch/waiting.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { readEntry } from '../../../shared/core/ledger/ledger.ts';
import type { ShownBalance } from '../../../shared/core/platform/platform.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import { readCustomer } from '../../../shared/rewards/balances/point-balance.ts';
import {
  closeRedemption,
  previewClosing,
} from '../../../shared/rewards/redeem/recover-redemptions.ts';
import {
  beganAt,
  type ClosedAs,
  isAnothers,
  isOpen,
  type Redemption,
  type RedemptionState,
  type StuckWhy,
  waitsForPerson,
} from '../../../shared/rewards/redeem/redemption.ts';
import {
  findRedemption,
  openRedemptions as openRecord,
  recallRedemptions,
} from '../../../shared/rewards/redeem/redemption-record.ts';
import { earningOf } from '../../../shared/rewards/storefront/read-history.ts';
import { readKnown, viewOfBalance } from '../../../shared/rewards/storefront/read-view.ts';
import {
  FOR_WHAT,
  MOST_SHOWN_WAITS,
  readWaiting,
  type WaitingInShop,
} from '../ground/checks/waiting-messages.ts';
import { findEntity, ordersOf } from '../ground/compare/find.ts';
import { askService as askHeld } from '../ground/compare/sides.ts';
import { findShop, shopsOf } from '../ground/session/arguments.ts';
import { type Deployment, openLedger, openLists } from '../ground/session/deployment.ts';
import { openShopServices, type ShopServices } from '../ground/session/services.ts';
import { type CommonOptions, carryOut, type Session } from '../ground/session/session.ts';
import {
  type Block,
  type Cell,
  type Document,
  facts,
  right,
  type Suggestion,
  type TableBlock,
  type Tone,
  table,
  text,
  type Verdict,
} from '../ground/terminal/document.ts';
import { BadArguments, type ExitCode, Problem } from '../ground/terminal/exit.ts';
import { line, lineText } from '../ground/terminal/line.ts';
import { counted, countedWith, utcText } from '../ground/terminal/text.ts';

type OpenRedemptions = Awaited<ReturnType<typeof openRedemptions>>;

async function openRedemptions({ findDeployment }: Session, { shop: named }: CommonOptions) {
  const deployment = await findDeployment();
  return {
    deployment,
    shop: findShop(deployment.connector, named),
    ledger: openLedger(deployment),
    now: () => new Date(),
    retentionDays: deployment.connector.orderRetentionDays,
  };
}

interface FoundRedemption {
  readonly shop: string;
  readonly customerId: string;
  readonly redemption: Redemption;
  /** Its message waits for its next try. */
  readonly wait?: WaitingInShop | undefined;
}

/** Without the keys of calls and clicks. */
function redemptionData({ shop, customerId: customer, redemption }: FoundRedemption) {
  const { clientKeys: _, state, ...known } = redemption;
  return { shop, customer, ...known, state: state.at, code: codeOf(redemption) ?? null };
}

function codeOf({ state }: Redemption): string | undefined {
  return 'code' in state ? state.code?.code : undefined;
}

async function readAll(
  deployment: Deployment,
  shop: string,
  now: Date,
): Promise<readonly FoundRedemption[]> {
  const records = await listRecords(openLists(deployment), shop, 'redemption');
  return records.flatMap(({ id: customerId, entry }) => {
    const { redemptions } = recallRedemptions(entry.remembered, now);
    return redemptions.map((redemption) => ({ shop, customerId, redemption }));
  });
}

async function withWaits(
  found: readonly FoundRedemption[],
  deployment: Deployment,
  now: Date,
): Promise<readonly FoundRedemption[]> {
  const open = found.filter(({ redemption }) => isOpen(redemption.state));
  const shops = [...new Set(open.map(({ shop }) => shop))];
  const waits = await readWaiting(deployment, shops, now, MOST_SHOWN_WAITS);
  const isAbout = ({ about, shop }: WaitingInShop, one: FoundRedemption) =>
    about.kind === 'redemption' && about.id === one.redemption.id && shop === one.shop;
  return found.map((one) => ({ ...one, wait: waits.find((wait) => isAbout(wait, one)) }));
}

/** Neither the end of a pause nor a planned step is tried earlier. */
export function tryAgain(found: readonly FoundRedemption[]): readonly Suggestion[] {
  const isPlanned = (waitsFor: WaitsFor) => waitsFor === 'paused' || waitsFor === 'planned';
  const wait = found.find((one) => one.wait && !isPlanned(one.wait.waitsFor))?.wait;
  if (!wait) return [];
  return [{ label: 'Retry now', line: line('retry-now', [], { shop: wait.shop }) }];
}

/** Those of all shops, or of one, that are not finished; the longest under way first. */
export async function listCommand(
  { findDeployment }: Session,
  { shop: named }: CommonOptions,
): Promise<Document> {
  const deployment = await findDeployment();
  const now = new Date();
  const shops = shopsOf(deployment.connector, named);
  const ofShops = shops.map(({ domain }) => readAll(deployment, domain, now));
  const all = (await Promise.all(ofShops))
    .flat()
    .toSorted((one, other) => underwaySince(one).localeCompare(underwaySince(other)));
  const open = all.filter(({ redemption }) => isOpen(redemption.state));
  const finished = all.filter(({ redemption }) => !isOpen(redemption.state)).toReversed();
  const found = await withWaits(open, deployment, now);
  const waiting = found.filter(({ redemption }) => waitsForPerson(redemption, now));
  const first = waiting.slice(0, 1).map(({ shop, customerId }) => ({
    label: `See customer ${customerId}`,
    line: line('redemptions show', [customerId], { shop }),
  }));
  const next: Suggestion[] = [...first, ...tryAgain(found)];
  // A stuck one waits for what only a person can see; it has no dead letter.
  if (waiting.some(({ redemption }) => redemption.stuck === undefined)) {
    const letters = line('dead-letters replay', [], { kind: 'redemption', shop: named });
    next.push({ label: 'Send the failed ones again', line: letters });
  }
  return {
    title: 'Redemptions of rewards',
    ...(all[0] && { verdict: judgeRedemptions(found, now) ?? ALL_FINISHED }),
    blocks: [
      ...(all[0] ? [] : [text('No redemptions yet. The latest ones appear here.')]),
      redemptionsTable(found, now, 'Unfinished', true),
      redemptionsTable(finished.slice(0, MOST_LISTED), now, 'Latest redemptions', true),
    ],
    next,
    ...(found.length > 0 && { freshSeconds: FRESH_SECONDS }),
    data: { redemptions: found.map(redemptionData) },
  };
}

const ALL_FINISHED: Verdict = { kind: 'ok', what: 'All redemptions are finished.' };
const FRESH_SECONDS = 15;
/** Of finished redemptions, and of a customer's orders. */
const MOST_LISTED = 5;

/** Undefined where all are finished. */
export function judgeRedemptions(
  found: readonly Pick<FoundRedemption, 'redemption'>[],
  now: Date,
): Verdict | undefined {
  const open = found.filter(({ redemption }) => isOpen(redemption.state));
  const many = open.filter(({ redemption }) => waitsForPerson(redemption, now)).length;
  if (many > 0) {
    return { kind: 'action required', what: `${countedWith(many, 'redemption', 'need')} you.` };
  }
  if (open.length === 0) return undefined;
  const what = `${counted(open.length, 'redemption')} not finished yet; retrying automatically.`;
  return { kind: 'pending', what };
}

const STATES: Readonly<
  Record<RedemptionState['at'], { readonly text: string; readonly tone?: Tone }>
> = {
  intended: { text: 'begins', tone: 'pending' },
  calling: { text: 'unknown yet', tone: 'pending' },
  redeemed: { text: 'points spent, code follows', tone: 'pending' },
  crediting: { text: 'cashback taken, store credit follows', tone: 'pending' },
  credited: { text: 'on the store credit account', tone: 'ok' },
  cancelling: { text: 'points are given back', tone: 'pending' },
  cancelled: { text: 'points given back' },
  returning: { text: 'taken back, points follow', tone: 'pending' },
  owing: { text: 'used after it was taken back', tone: 'pending' },
  refused: { text: 'refused, no points spent' },
  ready: { text: 'code ready', tone: 'ok' },
  used: { text: 'code used', tone: 'ok' },
};

const STUCK: Readonly<Record<StuckWhy, string>> = {
  'look-up-refused':
    'The loyalty service refuses to look it up: check in its panel whether points were spent.',
  'credit-unclear':
    "The account has a credit of this amount that may be this one: look at the customer's store credit in the admin. Credited: close it so. Not credited: give the cashback back in the panel of the loyalty service.",
  'cancel-refused':
    'The loyalty service does not cancel it: check in its panel whether the points are back, and give them back there if not.',
  'take-again-refused':
    'An order used the code after it was taken back, and the loyalty service does not take the points again (its dead letter has the reason): settle it with the customer.',
};

function detailOf({ redemption, wait }: FoundRedemption, now: Date): string {
  const { state, stuck, takeBack } = redemption;
  if (stuck) return STUCK[stuck];
  if (waitsForPerson(redemption, now)) {
    return 'Unfinished for more than a day: find its dead letter and replay it.';
  }
  const then = wait
    ? `Waiting ${FOR_WHAT[wait.waitsFor]}; next try at ${utcText(wait.until)} UTC.`
    : '';
  if (state.at === 'calling') {
    return `It is unknown whether the points were spent; the connector finds out (${counted(state.attempts, 'call')} so far). ${then}`;
  }
  if (takeBack) return `${takenBackText(takeBack)} ${then}`;
  if (isAnothers(redemption)) {
    return `The loyalty service took the points of another member, who gets them back (docs/runbook.md, "Two members"). ${then}`;
  }
  if (state.at === 'cancelled') return state.why ? `The store refused it (${state.why}).` : '';
  const refusal = 'refusal' in state ? state.refusal : undefined;
  if (refusal) return `The store refuses it (${refusal.why}): it will be given back. ${then}`;
  if (state.at !== 'crediting' || state.attempts === 0) return then;
  return `It is unknown whether the store credited it; the account's transactions decide (${counted(state.attempts, 'call')} so far). ${then}`;
}

function takenBackText({ at, staffId, refused }: NonNullable<Redemption['takeBack']>): string {
  const by = staffId === undefined ? 'by the customer' : `by user ${staffId} of the store`;
  const end = refused ? ': the loyalty service did not cancel it, so the code was made again' : '';
  return `Taken back ${by} at ${utcText(at)} UTC${end}.`;
}

/** Each attempt is a new state: of what is not finished, the first moment counts. */
const underwaySince = ({ redemption }: FoundRedemption): string =>
  isOpen(redemption.state) ? beganAt(redemption) : redemption.since;

export function redemptionsTable(
  found: readonly FoundRedemption[],
  now: Date,
  title = 'Redemptions',
  isList = false,
): TableBlock {
  const customer = ({ shop, customerId: text }: FoundRedemption) =>
    isList ? [{ text, opens: line('redemptions show', [text], { shop }) }] : [];
  const columns = [
    ...[{ title: 'Reward', shrinks: true }, right('Points'), 'State', 'When'],
    ...[{ title: 'Code', shrinks: true }, 'Redemption'],
  ];
  const rows = found.map((one) => {
    const { redemption, shop } = one;
    const { id, terms, state } = redemption;
    const tone = waitsForPerson(redemption, now) && { tone: 'bad' as const };
    const code = codeOf(redemption);
    const cells = [
      ...[...customer(one), terms.title, terms.points],
      ...[{ ...STATES[state.at], ...tone }, { at: underwaySince(one) }],
      code
        ? { text: code, opens: line('trace', ['coupon', code], { shop }) }
        : (terms.credit && `${terms.value} ${terms.credit.currency}`) || 'none',
      id,
    ];
    return { cells, detail: detailOf(one, now).trim() };
  });
  return table(isList ? ['Customer', ...columns] : columns, rows, { title });
}

/** The id of a customer, by it or by the e-mail address, or by the code of a reward, which is theirs alone. */
async function findCustomer(words: string, { deployment, shop, now }: OpenRedemptions) {
  if (/^\d+$|[@/]/.test(words)) {
    const services = openShopServices(deployment);
    const [{ id }] = await findEntity('member', words, { services, shop });
    return id;
  }
  const code = words.toLowerCase();
  const all = await readAll(deployment, shop.domain, now());
  const owner = all.find(({ redemption }) => codeOf(redemption)?.toLowerCase() === code);
  if (owner) return owner.customerId;
  throw new Problem(
    `No reward of ${shop.domain} has the code "${words}".`,
    'Give the id of a customer, an e-mail address, or the code of a reward.',
  );
}

export async function showCommand(
  session: Session,
  options: CommonOptions,
  customer: string,
): Promise<Document> {
  const opened = await openRedemptions(session, options);
  const shop = opened.shop.domain;
  const now = opened.now();
  const services = openShopServices(opened.deployment);
  const customerId = await findCustomer(customer, opened);
  const known = await readKnown({ shop, customerId }, opened.ledger, now);
  const { asOf } = known.balance;
  const history = { PageNumber: 1, PageSize: MOST_ENTRIES };
  const [store, service, listed, orders] = await Promise.all([
    askStore(known.id, opened, services),
    askService(known.id, opened, services),
    services.loyalty(opened.shop).listPointsHistory(known.id, history),
    readOrders(known.id, opened, services),
  ]);
  const theirs = known.redemptions
    .toReversed()
    .map((redemption) => ({ shop, customerId, redemption }));
  const found = await withWaits(theirs, opened.deployment, now);
  const unwritten = store === NOT_SHOWN ? NOT_SHOWN : ABSENT;
  const sides = { store, ledger: asOf === null ? unwritten : known.balance, service };
  const open = judgeRedemptions(found, now);
  const stuck = open?.kind === 'action required' ? open : undefined;
  const verdict = stuck ?? orders.verdict ?? open ?? judgeBalances(sides);
  const mergedInto = known.id === customerId ? undefined : known.id;
  const opens = line('redemptions show', [known.id], { shop });
  return {
    title: `Customer ${customerId} of ${shop}`,
    ...(verdict && { verdict }),
    blocks: [
      facts([['Merged into customer', mergedInto && { text: mergedInto, opens }]]),
      ...balanceBlocks(rowsOf(sides), ['Last written', asOf === null ? undefined : { at: asOf }]),
      redemptionsTable(found, now),
      pointsTable(service, listed, shop),
      orders.table,
    ],
    next: [
      ...orders.next,
      ...found.flatMap((one) => closings(one, now)),
      ...tryAgain(found),
      {
        label: 'See events and orders',
        line: line('trace', ['customer', customerId], { shop }),
      },
    ],
    ...(verdict?.kind === 'pending' && { freshSeconds: FRESH_SECONDS }),
    data: { shop, customer: customerId, ...sides, redemptions: found.map(redemptionData) },
  };
}

/** One list where all sides say the same. */
function balanceBlocks(
  rows: ReturnType<typeof rowsOf>,
  written: Parameters<typeof facts>[0][number],
): readonly Block[] {
  const same = rows.map(({ field, values }) => [field, values[0] ?? 'none'] as const);
  if (rows.every(({ values }) => new Set(values).size === 1)) {
    return [facts([...same, written], 'Balance: the same in store, connector and loyalty service')];
  }
  const cells = rows.map(({ field, values, differs }) => [
    field,
    ...values.map((value) => value ?? 'none'),
    differs ? { text: 'differs', tone: 'bad' as const } : '',
  ]);
  const columns = ['', right('Store'), right('Connector'), right('Service'), ''];
  return [table(columns, cells, { title: 'Balance' }), facts([written])];
}

const MOST_ENTRIES = 50;

/** What moved the points, the newest first, with the balance after each: at the top stands what the service says now. */
function pointsTable(
  service: Side,
  listed: Awaited<ReturnType<LoyaltyClient['listPointsHistory']>>,
  shop: string,
): TableBlock {
  const columns = ['When', { title: 'What', shrinks: true }, right('Points'), right('Balance')];
  const isListed = listed.kind === 'success' || listed.kind === 'warning';
  const items = isListed && !('none' in service) ? listed.value.Items : [];
  let hundredths = 'none' in service ? 0 : Math.round((service.points ?? 0) * 100);
  // Below each other, all have the decimals that one of them needs.
  const isWhole = [hundredths / 100, ...items.map(({ Points = 0 }) => Points)].every(
    Number.isInteger,
  );
  const shown = (points: number) =>
    points.toLocaleString('en', { minimumFractionDigits: isWhole ? 0 : 2 }).replace('-', '−');
  const rows = items
    .filter((one) => one.IsTierHistory !== true)
    .toSorted((one, other) => (other.Date ?? '').localeCompare(one.Date ?? ''))
    .map(({ Date: at, Title, Points = 0, IsCanceled, CouponCode: code }): Cell[] => {
      const balance = shown(hundredths / 100);
      if (!IsCanceled) hundredths -= Math.round(Points * 100);
      const what = `${Title ?? ''} ${code ?? ''}${IsCanceled ? ' (cancelled: not counted)' : ''}`;
      const opens = code && line('trace', ['coupon', code], { shop });
      const cell = { text: what.trim(), ...(opens && { opens }) };
      return [at ? { at } : '–', cell, `${Points > 0 ? '+' : ''}${shown(Points)}`, balance];
    });
  if (rows.length > 0 && hundredths !== 0) {
    rows.push(['–', 'Earlier changes, and what expired', '', shown(hundredths / 100)]);
  }
  const empty =
    isListed || service === ABSENT ? 'None yet.' : 'The loyalty service does not list them now.';
  return table(columns, rows, { title: 'Changes of points', empty });
}

/** What each gives: the history of points names no order, and equal points may be another's. */
async function readOrders(
  customerId: string,
  { shop, ledger }: OpenRedemptions,
  services: ShopServices,
) {
  const orders = (await ordersOf(customerId, { services, shop })).slice(0, MOST_LISTED);
  const read = orders.map(async ({ id, name }) => {
    const key = { shop: shop.domain, kind: 'order', id } as const;
    const entry = await readEntry(ledger, key);
    const held = await askHeld(services.loyalty(shop), { ...key, id: entry?.service?.id ?? id });
    const earned = held.kind === 'order' ? earningOf(held.order) : undefined;
    const given = earned?.state === 'earns' ? (earned.points ?? 'not known') : 0;
    const last = entry?.outcomes.at(-1)?.outcome ?? '';
    const absent = held.kind === 'absent' ? (NOT_HELD[last] ?? 'not sent') : 'no answer';
    const opens = line('trace', ['order', id], { shop: shop.domain });
    return { text: name ?? id, opens, given: earned ? given : absent };
  });
  const all = await Promise.all(read);
  const [first, ...others] = all.filter(({ given }) => given === NOT_HELD.rejected);
  const what = `${countedWith(others.length + 1, 'order', 'need')} you: given up, so without points.`;
  const rows = all.map(({ given, ...order }) => [order, given]);
  return {
    table: table(['Order', right('Points')], rows, { title: 'Points of the newest orders' }),
    verdict: first && ({ kind: 'action required', what } as const),
    next: first ? [{ label: `See ${first.text}`, line: first.opens }] : [],
  };
}

/** Why the loyalty service does not have an order, by its last outcome. */
const NOT_HELD: Readonly<Record<string, Cell>> = {
  rejected: { text: 'given up', tone: 'bad' },
  skipped: 'not due',
};

/** What one side says of a customer's balance, or why it says nothing. */
type Side = ShownBalance | { readonly none: string };

const ABSENT = { none: 'not there yet' };
const NOT_SHOWN = { none: 'not shown' };
const EXPECTED: readonly Side[] = [ABSENT, NOT_SHOWN];

interface Sides {
  readonly store: Side;
  readonly ledger: Side;
  readonly service: Side;
}

/** Undefined where a side has none to compare with. */
export function judgeBalances(sides: Sides): Verdict | undefined {
  const { store, service } = sides;
  const silent = [store, service].find((side) => 'none' in side);
  if (silent && !EXPECTED.includes(silent)) {
    return { kind: 'unknown', what: 'Not every side said what the balance is.' };
  }
  if (rowsOf(sides).some(({ differs }) => differs)) {
    const what =
      'The balances differ. The next point event, a visit to the store or the nightly comparison corrects that.';
    return { kind: 'pending', what };
  }
  if (silent) return undefined;
  return { kind: 'ok', what: 'The store shows the balance that the loyalty service has.' };
}

async function askStore(
  customerId: string,
  { deployment, shop }: OpenRedemptions,
  services: ShopServices,
): Promise<Side> {
  const { storefront } = deployment.connector;
  const asked = services.asked(shop);
  if (!storefront || !asked.balanceOf) return NOT_SHOWN;
  const shown = await asked.balanceOf(customerId, storefront.metafieldNamespace);
  if (shown.kind === 'unavailable') return { none: `no answer (${shown.why})` };
  return shown.value ?? ABSENT;
}

async function askService(
  id: string,
  { shop, now }: OpenRedemptions,
  services: ShopServices,
): Promise<Side> {
  const source = { loyalty: services.loyalty(shop), breaker: createCircuitBreaker() };
  const deadline = new AbortController().signal;
  const shops = new Map([[shop.domain, source]]);
  const read = await readCustomer({ shop: shop.domain, id }, { shops, now, deadline });
  if (read.kind === 'retry') return { none: `no answer (${read.why})` };
  if (!read.balance) return ABSENT;
  return { ...viewOfBalance(read.balance), tier: read.tier ?? null };
}

const FIELDS = {
  Points: ({ points }: ShownBalance) => points,
  Cashback: ({ cashback }: ShownBalance) => cashback?.toFixed(2),
  Tier: ({ tier }: ShownBalance) => tier,
  'Next to expire': ({ expiring }: ShownBalance) =>
    expiring && `${expiring.points} on ${expiring.at.slice(0, 10)}`,
} as const;

/** The sides beside each other; `differs` where two that say something say different things. */
export function rowsOf({ store, ledger, service }: Sides) {
  return Object.entries(FIELDS).map(([field, read]) => {
    const values = [store, ledger, service].map((side) =>
      'none' in side ? side.none : read(side),
    );
    const said = [store, ledger, service].flatMap((side) => ('none' in side ? [] : [read(side)]));
    return { field, values, differs: new Set(said).size > 1 };
  });
}

interface CloseOptions extends CommonOptions {
  readonly refused?: boolean;
  readonly cancelled?: boolean;
  readonly used?: boolean;
  readonly credited?: boolean;
}

const CLOSINGS: Readonly<Record<ClosedAs, { readonly label: string; readonly sees: string }>> = {
  refused: {
    label: 'Close: no points were taken',
    sees: 'the customer sees that no points were taken, and can redeem the reward again',
  },
  cancelled: {
    label: 'Close: the points were given back',
    sees: 'the customer sees that the points are back, and can redeem the reward again',
  },
  used: {
    label: 'Close: the code was used, and its points are settled',
    sees: 'the customer sees the code as used, and no points are taken any more',
  },
  credited: {
    label: 'Close: the store credit was given',
    sees: 'the customer sees that the amount is on their store credit',
  },
};
const CLOSED_AS = ['refused', 'cancelled', 'used', 'credited'] as const;

/** What a person may decide about it, who has looked in the panel of the loyalty service, or at the store credit. */
function closings(
  { shop, customerId, redemption }: FoundRedemption,
  now: Date,
): readonly Suggestion[] {
  const { id, state } = redemption;
  // In the state that it has already, `close` repeats a message only.
  return CLOSED_AS.filter(
    (as) => state.at !== as && previewClosing(redemption, as, now).kind === 'closed',
  ).map((as) => ({
    label: CLOSINGS[as].label,
    say: `${CLOSINGS[as].label} (${id}), if ${as === 'credited' ? "the customer's store credit" : 'the panel of the loyalty service'} shows it:`,
    line: line('redemptions close', [customerId, id], { shop, [as]: true }),
  }));
}

export async function closeCommand(
  session: Session,
  options: CloseOptions,
  customerId: string,
  id: string,
): Promise<Document | ExitCode> {
  const [as, ...others] = CLOSED_AS.filter((one) => options[one]);
  if (!as || others.length > 0)
    throw new BadArguments('give --refused, --cancelled, --used or --credited.');
  const { label, sees } = CLOSINGS[as];
  const opened = await openRedemptions(session, options);
  const { deployment, now } = opened;
  const shop = opened.shop.domain;
  const whose = { shop, customerId };
  const show = line('redemptions show', [customerId], { shop });
  const redemption = findRedemption(await openRecord(whose, opened).read(), id);
  const mustBe = (found: ReturnType<typeof previewClosing>) => {
    if (redemption && found.kind === 'closed') return redemption;
    throw notClosed(redemption, id, lineText(show, deployment));
  };
  const before = mustBe(previewClosing(redemption, as, now()));
  const changed = before.state.at !== as;
  const title = `Redemption ${id} of customer ${customerId}`;
  return carryOut(session, deployment, options.yes, {
    preview: () => ({
      title,
      blocks: [
        redemptionsTable([{ ...whose, redemption: before }], now()),
        text(`Once it is closed, ${sees}.`),
        text(
          `Look at this customer in ${as === 'credited' ? 'the admin of the store' : 'the panel of the loyalty service'} first: the connector does not check what you say here.`,
        ),
      ],
      next: [
        {
          label,
          line: line('redemptions close', [customerId, id], { shop, [as]: true, yes: true }),
        },
      ],
      data: { changed: false, ...redemptionData({ ...whose, redemption: before }) },
    }),
    question: 'Close it?',
    async act(change) {
      const balances = deployment.output('BalancesQueueUrl');
      const queue = createSqsEventQueue(new SQS(deployment.aws), { balances });
      // Closed before, its message is sent again, should it be missing.
      mustBe(await closeRedemption(whose, id, as, { ...opened, queue }));
      change.count({ closed: changed ? 1 : 0 });
      return {
        title,
        verdict: { kind: 'ok', what: `It is closed: ${sees}.` },
        blocks: [],
        next: [{ label: 'See the customer', line: show }],
        data: { changed, ...whose, id, state: as },
      };
    },
  });
}

function notClosed(redemption: Redemption | undefined, id: string, show: string): Problem {
  if (!redemption) return new Problem(`There is no redemption ${id}.`, `To list theirs: ${show}`);
  const accepted = CLOSED_AS.filter(
    (as) => previewClosing(redemption, as, new Date()).kind === 'closed',
  );
  return new Problem(
    `Nothing was changed: the state of the redemption is "${STATES[redemption.state.at].text}".`,
    waitsForPerson(redemption, new Date())
      ? `It accepts only ${accepted.map((as) => `--${as}`).join(' or ')}, after you settled it there.`
      : 'The connector finishes it automatically; this is accepted only when it needs you.',
  );
}
