import { RECONCILE_MINUTES } from '../../../shared/config/metrics.ts';
import { ledgerKeyText, type PastOutcome } from '../../../shared/core/ledger/ledger.ts';
import {
  type FoundByReading,
  readFoundByReading,
} from '../../../shared/core/reconcile/deep-scan.ts';
import type { SentReason } from '../../../shared/core/reconcile/dependencies.ts';
import {
  type LastReconcile,
  RUNS_MISSED,
  readReconcileRuns,
  sumOf,
} from '../../../shared/core/reconcile/last-reconcile.ts';
import {
  courseText,
  type IsOurs,
  runReconcile,
  stopsOf,
  untilOf,
} from '../ground/compare/settle.ts';
import { shopsOf } from '../ground/session/arguments.ts';
import { type Deployment, openLedger } from '../ground/session/deployment.ts';
import { nameKey, openShopServices, readNames } from '../ground/session/services.ts';
import type { CommonOptions, Session } from '../ground/session/session.ts';
import {
  type Block,
  type Cell,
  type Document,
  isEmpty,
  right,
  STATUS,
  type Suggestion,
  type Tone,
  table,
  type Verdict,
  worstOf,
} from '../ground/terminal/document.ts';
import { line } from '../ground/terminal/line.ts';
import { counted, countedWith, relativeTime } from '../ground/terminal/text.ts';

export interface ReconcileOptions extends CommonOptions {
  readonly deep?: boolean;
}

export async function startReconcile(
  session: Session,
  { deep = false, shop: named }: ReconcileOptions,
): Promise<Document> {
  const signal = session.interruption('The comparison continues in the background.');
  const deployment = await session.findDeployment();
  const domains = shopsOf(deployment.connector, named).map(({ domain }) => domain);
  await session.beginChange(deployment);
  const title = `${deep ? 'Deep comparison' : 'Comparison'} of ${domains.join(', ')} with the ledger`;
  const isOurs = await runReconcile(session, deployment, domains, signal, {
    ...(deep && { mode: 'deep' }),
    ...(named !== undefined && domains[0] !== undefined && { shop: domains[0] }),
  });
  const shops = await readRuns(deployment, named, isOurs);
  return documentOf(title, shops, deployment, { isDeep: deep, named });
}

/** What runs of one shop found, the newest run first. */
export interface ShopRuns extends FoundByReading {
  readonly shop: string;
  readonly runs: readonly LastReconcile[];
  readonly sent: readonly SentAgain[];
  /** Of orders and products: see `nameKey`. */
  readonly names: ReadonlyMap<string, string>;
}

type SentAgain = LastReconcile['sent'][number] & {
  readonly endedAt: string;
  /** What the worker made of it; undefined while that is not known. */
  readonly outcome: PastOutcome | undefined;
};

const MOST_SENT = 40;
const MOST_RUNS = 5;

/** `isOurs`: only the newest run, and only if it is that one. */
async function readRuns(
  deployment: Deployment,
  named: string | undefined,
  isOurs?: IsOurs,
): Promise<readonly ShopRuns[]> {
  const ledger = openLedger(deployment);
  const services = openShopServices(deployment);
  return Promise.all(
    shopsOf(deployment.connector, named).map(async (shop) => {
      const all = await readReconcileRuns(ledger, shop.domain);
      const runs = isOurs ? all.slice(0, 1).filter(isOurs) : all;
      const found = await readFoundByReading(ledger, shop.domain);
      const messages = runs.flatMap((run) => run.sent.map((one) => ({ run, ...one })));
      const shown = messages.slice(0, MOST_SENT);
      const keyOf = ({ kind, id }: (typeof shown)[number]) => ({ shop: shop.domain, kind, id });
      const entries = await ledger.readMany(shown.map(keyOf));
      const sent = shown.map(({ run: { beganAt, endedAt }, ...one }) => {
        const outcomes = entries.get(ledgerKeyText({ shop: shop.domain, ...one }))?.outcomes;
        const since = outcomes?.filter(({ at }) => at > beganAt);
        // Its own, not what a later webhook found done; what was given up may have been sent since.
        const own = since?.findLast((past) => past.origin && past.outcome !== 'rejected');
        return { endedAt, ...one, outcome: own ?? since?.at(-1) };
      });
      const orders = found.differing.map(({ id }) => ({ kind: 'order', id }));
      const names = await readNames(services, shop, [...orders, ...sent]);
      return { shop: shop.domain, runs, ...found, sent, names };
    }),
  );
}

/** What makes up for lost events: the last comparisons, and where to look besides. */
export async function showRuns(
  { findDeployment }: Session,
  { shop: named }: Pick<ReconcileOptions, 'shop'>,
): Promise<Document> {
  const deployment = await findDeployment();
  const shops = await readRuns(deployment, named);
  const title = `Every ${RECONCILE_MINUTES} minutes the connector compares the store with what it has sent, and sends what is missing`;
  return documentOf(title, shops, deployment, { named, isScheduled: true });
}

interface Asked {
  /** Of a run that was started now: it asked the loyalty service, too. */
  readonly isDeep?: boolean;
  /** Of the runs of the schedule. */
  readonly isScheduled?: boolean;
}

function judgeShops(shops: readonly ShopRuns[], asked: Asked): Verdict {
  const now = new Date();
  const judged = shops.map((one) => ({ shop: one.shop, ...judgeRuns(one, asked, now) }));
  const whose = shops.length > 1;
  const sentences = judged.map(({ shop, what }) => (whose ? `${shop}: ${what}` : what));
  return { kind: worstOf(judged) ?? 'unknown', what: sentences.join('\n') };
}

export function judgeRuns(
  { runs, ordersRead, differing, sent }: Omit<ShopRuns, 'shop' | 'names'>,
  { isDeep = false, isScheduled }: Asked,
  now: Date,
): Verdict {
  const [last] = runs;
  if (!last) {
    return isScheduled
      ? {
          kind: 'pending',
          what: `Not compared yet: the first comparison starts within ${RECONCILE_MINUTES} minutes.`,
        }
      : {
          kind: 'unknown',
          what: 'This comparison left no record: it broke off, or did not begin.',
        };
  }
  const ended = Date.parse(last.endedAt);
  const until = untilOf(last, now);
  const upTo = `Compared up to ${until}.`;
  const say = (kind: Verdict['kind'], what: string): Verdict => ({ kind, what: `${what} ${upTo}` });
  if (isScheduled && now.getTime() - ended > RECONCILE_MINUTES * RUNS_MISSED * 60_000) {
    return say('action required', `The last comparison ended ${relativeTime(ended, now)}.`);
  }
  if (differing.length > 0) {
    const how = isDeep ? '.' : ', as a deep comparison found.';
    const differ = countedWith(differing.length, 'order', 'differ');
    return say('action required', `${differ} in the loyalty service${how}`);
  }
  const givenUp = sent.filter(({ outcome }) => outcome?.outcome === 'rejected').length;
  if (givenUp > 0) {
    const of = counted(sent.length, 'resent message');
    return say('action required', `${givenUp} of ${of} could not be delivered.`);
  }
  const isGoingOn = last.deep?.stopped?.why === 'out-of-time';
  const [first] = isGoingOn ? last.stopped : stopsOf(last);
  if (first) {
    const why = STOPPED[first.why] ?? `no usable answer (${first.why})`;
    const what = `Not everything was compared: ${why}. The next run continues there.`;
    return { kind: 'unknown', what };
  }
  if (isDeep && ordersRead.unread > 0) {
    const orders = counted(ordersRead.unread, 'order');
    return say('unknown', `The loyalty service did not show ${orders}.`);
  }
  const waiting = sent.filter(({ outcome }) => outcome === undefined).length;
  if (waiting > 0)
    return say('pending', `${counted(waiting, 'resent message')} still in progress.`);
  if (runs.every(({ lookedAt }) => sumOf(lookedAt) === 0)) {
    const none = `Nothing to compare: nothing changed in the store up to ${until}.`;
    return { kind: 'ok', what: `${none} ${REST}` };
  }
  if (isGoingOn) {
    const what = `Store and ledger agree about what changed up to ${until}. ${courseText(last, now)}`;
    return { kind: isDeep ? 'pending' : 'ok', what };
  }
  const service = isDeep
    ? `the loyalty service holds ${counted(ordersRead.read, 'order')} as sent`
    : 'the loyalty service was not asked';
  return { kind: 'ok', what: `Store and ledger agree up to ${until}; ${service}. ${REST}` };
}

const REST = 'Later changes are left to the next comparison: their events may still be on the way.';

const STOPPED: Readonly<Record<string, string>> = {
  'shop-paused': 'the shop is paused',
  'queue-full': 'too many messages are waiting on the queues',
  'out-of-time': 'it ran out of time',
  overtaken: 'another run continued it',
  'ledger-scan-missed': 'the store could not be read when the ledger was scanned for deletions',
};

export function documentOf(
  title: string,
  shops: readonly ShopRuns[],
  { stack }: Pick<Deployment, 'stack'>,
  { named: shop, ...asked }: Asked & { readonly named: string | undefined },
): Document {
  const verdict = judgeShops(shops, asked);
  const first = shops.flatMap((one): readonly Suggestion[] => {
    const id = one.differing[0]?.id;
    const label = `See what happened to ${id && (one.names.get(nameKey({ kind: 'order', id })) ?? id)}`;
    return id ? [{ label, line: line('trace', ['order', id], { shop: one.shop }) }] : [];
  });
  const isOpen = verdict.kind === 'action required' || verdict.kind === 'unknown';
  return {
    title,
    verdict,
    blocks: shops
      .map((one) => ({ kind: 'section', title: one.shop, blocks: blocksOf(one) }) as const)
      .filter((section) => !section.blocks.every(isEmpty)),
    next: [
      ...first.slice(0, 1),
      ...(isOpen && !first[0] && shops.some(({ runs }) => runs[0]) ? [STATUS] : []),
      ...offersIn(shop).slice(asked.isScheduled ? 0 : asked.isDeep ? 2 : 1),
    ],
    data: { stack, shops: shops.map(({ names: _, ...one }) => one) },
  };
}

const offersIn = (shop: string | undefined): readonly Suggestion[] => [
  { label: 'Compare now', say: CHANGED, line: line('reconcile', [], { shop }) },
  { label: 'Compare everything', say: ALL, line: line('reconcile', [], { shop, deep: true }) },
  { label: 'Check that events are sent', say: EVENTS, line: line('webhooks check', [], { shop }) },
  { label: 'See backfills', say: BEFORE, line: line('backfill status', [], { shop }) },
];
const SENDS = 'What differs is sent again.';
const CHANGED = `Compares what changed since the last comparison, in about a minute. ${SENDS}`;
const ALL = `Compares everything, also with the loyalty service, in up to an hour. ${SENDS}`;
const EVENTS = 'Asks the store whether it sends every event.';
const BEFORE = 'Shows what was sent of the time before the connector.';

/** What a person must look at first. */
export function blocksOf({ shop, runs, differing, names, sent }: ShopRuns): readonly Block[] {
  const entity = (kind: LastReconcile['sent'][number]['kind'], id: string): Cell => ({
    text: names.get(nameKey({ kind, id })) ?? `${nameOf(kind)} ${id}`,
    opens: line('trace', [nameOf(kind), id], { shop }),
  });
  const all = runs.reduce((sum, run) => sum + sentIn(run), 0);
  return [
    table(
      ['Order', { title: 'Note', shrinks: true }],
      differing.map(({ id, lately }) => [
        entity('order', id),
        lately
          ? 'Sent less than a day ago; the service may show a change a day late.'
          : 'Decide what is right; see its amounts.',
      ]),
      { title: 'Orders that differ in the loyalty service' },
    ),
    table(
      ['What', { title: 'Why', shrinks: true }, 'Result', 'When'],
      sent.map(({ endedAt, kind, id, why, outcome }) => [
        entity(kind, id),
        SENT_REASONS[why],
        outcome
          ? (OUTCOMES[outcome.outcome] ?? 'no change')
          : { text: 'on its way', tone: 'pending' },
        { at: endedAt },
      ]),
      { title: `Resent${all > sent.length ? `, the last ${sent.length} of ${all}` : ''}` },
    ),
    table(
      ['Ended', right('Compared'), right('Resent')],
      runs
        .slice(0, MOST_RUNS)
        .map((run) => [{ at: run.endedAt }, sumOf(run.lookedAt), sentIn(run)]),
      { title: 'Comparisons' },
    ),
  ];
}

const sentIn = ({ healed, rolledOut }: LastReconcile): number => sumOf(healed) + sumOf(rolledOut);

const nameOf = (kind: SentAgain['kind']): string => (kind === 'member' ? 'customer' : kind);

const OUTCOMES: Readonly<Record<string, { readonly text: string; readonly tone?: Tone }>> = {
  applied: { text: 'delivered', tone: 'ok' },
  rejected: { text: 'given up', tone: 'bad' },
};

export const SENT_REASONS: Readonly<Record<SentReason, string>> = {
  missing: 'no event about it arrived',
  stale: 'changed without an event',
  different: 'the ledger had another state',
  uncertain: 'the result of its last call was unknown',
  deleted: 'deleted without an event',
  removed: 'removed from its discount without an event',
  'rules-changed': 'the rules, or the dates of a discount, changed what is sent',
  unannounced: 'no event said that it changed',
  'dead-letter-expired': 'its dead letter expired',
  recovered: 'the ledger may be incomplete, as after a loss or go-live',
  lost: 'the loyalty service had lost it',
};
