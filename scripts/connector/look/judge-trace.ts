import { readLettersById } from '../../../shared/aws/read-ledger.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { DROPPED, type ListedDeadLetter } from '../../../shared/core/batch/dead-letter.ts';
import { type EntityKind, queueFamilyOf } from '../../../shared/core/events/event.ts';
import { DEAD_LETTER_REASONS } from '../../../shared/core/events/outcome.ts';
import { type EntityEntry, readEntry } from '../../../shared/core/ledger/ledger.ts';
import { QUIET_MINUTES } from '../../../shared/core/reconcile/dependencies.ts';
import { openIn } from '../../../shared/rewards/redeem/redemption-record.ts';
import { earningOf } from '../../../shared/rewards/storefront/read-history.ts';
import type { OrderEarning } from '../../../shared/store/storefront-answers.gen.ts';
import {
  isHolding,
  type PauseStatus,
  pausedText,
  pauseText,
  readPauses,
  resumeSuggestion,
  triedAt,
} from '../ground/checks/read-pauses.ts';
import {
  FOR_WHAT,
  MOST_SHOWN_WAITS,
  mayBeWoken,
  readAttempts,
  stillWaiting,
  type WaitingInShop,
  whysText,
} from '../ground/checks/waiting-messages.ts';
import { judgeOrder } from '../ground/compare/read-orders.ts';
import {
  CALL_UNKNOWN,
  judgeSides,
  missingText,
  REFUSED,
  readSides,
  type Sides,
} from '../ground/compare/sides.ts';
import { lettersAbout } from '../ground/letters/read-letters.ts';
import { type AuditRecord, readAudit } from '../ground/session/audit-records.ts';
import { type Deployment, openLedger, openLists } from '../ground/session/deployment.ts';
import { openSourceQueues } from '../ground/session/queues.ts';
import { type ShopServices, unreadWords } from '../ground/session/services.ts';
import { DOCTOR, STATUS, type Suggestion, type VerdictKind } from '../ground/terminal/document.ts';
import { line, type Options } from '../ground/terminal/line.ts';
import { counted, momentText, sentence, utcText } from '../ground/terminal/text.ts';

export interface Trace extends Sides {
  readonly letters: readonly ListedDeadLetter[];
  /** What the loyalty service gives for an order. Undefined for what is none, and where the service did not say. */
  readonly earned: OrderEarning | undefined;
  /** Calls for it are paused. */
  readonly pause: PauseStatus | undefined;
  /** Messages on the queue of its kind, of any entity, that no worker has received yet. */
  readonly ready: number;
  /** Its own messages that wait for another attempt, the next first. */
  readonly waits: readonly WaitingInShop[];
  /** Its waits that ended in the last hour or two: the ledger keeps no older ones. */
  readonly tried: readonly WaitingInShop[];
  /** Of a customer, how many are not finished. */
  readonly redemptions: number;
  /** The commands that sent its dead letters again. */
  readonly replays: readonly AuditRecord[];
}

export interface Traced {
  readonly shop: Shop;
  readonly kind: EntityKind;
  readonly id: string;
}

export async function collectTrace(
  deployment: Deployment,
  services: ShopServices,
  { shop, kind, id }: Traced,
  signal: AbortSignal,
  onProgress: (seen: number, total: number) => void,
): Promise<Trace> {
  const key = { shop: shop.domain, kind, id } as const;
  const ledger = openLedger(deployment);
  const family = queueFamilyOf(kind);
  const now = new Date();
  const [sides, pauses, attempts, { ready }, letters, record] = await Promise.all([
    readSides(deployment, services, shop, key),
    readPauses(ledger, [shop], now),
    readAttempts(deployment, shop.domain, MOST_SHOWN_WAITS),
    openSourceQueues(deployment, [family]).depth.of(family),
    lettersAbout(deployment, key, { signal, onProgress }),
    kind === 'member' ? readEntry(ledger, { ...key, kind: 'redemption' }) : undefined,
  ]);
  const own = attempts.filter(({ about }) => about.kind === kind && about.id === id);
  const waits = stillWaiting(own, now);
  return {
    ...{ ...sides, letters, ready, waits, tried: own.filter((one) => wasTried(one, own, now)) },
    replays: sides.entry ? await readReplays(openLists(deployment), sides, sides.entry, now) : [],
    pause: pauses.find((one) => one.by !== 'operator' || ['all', family].includes(one.part)),
    earned: sides.held.kind === 'order' ? earningOf(sides.held.order) : undefined,
    redemptions: openIn(record?.remembered, now).length,
  };
}

/** A wait that is over says nothing by itself: a worker ended it, or recorded the next one. */
const wasTried = (one: WaitingInShop, all: readonly WaitingInShop[], now: Date) =>
  one.until <= now.getTime() &&
  (one.ended !== undefined ||
    all.some((other) => other.messageId === one.messageId && other.receives > one.receives));

async function readReplays(
  lists: ReturnType<typeof openLists>,
  { key: { shop, kind, id }, store }: Sides,
  { outcomes }: Pick<EntityEntry, 'outcomes'>,
  until: Date,
): Promise<readonly AuditRecord[]> {
  const [first] = outcomes.filter(({ outcome }) => outcome === 'rejected');
  const replays: AuditRecord[] = [];
  if (!first) return replays;
  const same: Readonly<Record<string, string>> = { shop, kind, queue: queueFamilyOf(kind) };
  for await (const one of readAudit(lists, { since: new Date(first.at), until })) {
    const { id: ids, ...given } = one.arguments;
    const isOther = Object.keys(same).some((name) => (given[name] ?? same[name]) !== same[name]);
    if (one.command !== 'dead-letters replay' || !one.end?.counts.sent || isOther) continue;
    const named = ids?.split(',') ?? [id];
    const letters = named.includes(id) ? [] : await readLettersById(lists, named, until);
    if (named.includes(id) || letters.some(({ event }) => event?.id === id)) replays.push(one);
  }
  return replaysIn(outcomes, replays, `${kind} ${id} ${nameOf({ store })}`, until);
}

/**
 * What was sent again left no line but its outcome: of the replays that may have meant it, the newest first, the oldest
 * after each rejection. That one took it off its queue.
 */
export function replaysIn(
  outcomes: EntityEntry['outcomes'],
  replays: readonly AuditRecord[],
  about: string,
  now: Date,
): readonly AuditRecord[] {
  return outcomes.flatMap(({ outcome, at, why = '' }, index) => {
    const end = outcomes[index + 1];
    if (outcome !== 'rejected' || end?.outcome === DROPPED) return [];
    const own = DEAD_LETTER_REASONS.find((one) => one === why) ?? 'rejected';
    const mayMean = ({ at: begun, arguments: given }: AuditRecord) => {
      const { code = '', text = '', reason = own, delivered = 'no' } = given;
      const { since = at, until = at } = given;
      const isBetween = begun > at && begun < (end?.at ?? now.toISOString());
      const isOpen = delivered === 'no' && since <= at && until >= at;
      const isMeant = `${about} ${why}`.toLowerCase().includes(text.toLowerCase());
      return isBetween && isOpen && isMeant && reason === own && why.includes(code);
    };
    return replays.findLast(mayMean) ?? [];
  });
}

/** As people know it: `#1007`, a title. Of a customer nothing that says who it is. */
export function nameOf({ store }: Pick<Trace, 'store'>): string | undefined {
  if (store.kind !== 'found') return undefined;
  if (store.value.kind === 'order') return store.value.order.name;
  return store.value.kind === 'product' ? store.value.product.title : undefined;
}

export interface Judged {
  /** Without a kind it says neither good nor bad: all was done, and the service cannot be asked. */
  readonly kind: VerdictKind | undefined;
  readonly what: string;
  readonly next: readonly Suggestion[];
}

export function judgeTrace(trace: Trace): Judged {
  const { key, entry, letters, store, mapped, pause, ready, held } = trace;
  const [wait] = trace.waits;
  const say = (
    kind: Judged['kind'],
    what: string,
    ...next: (Suggestion | undefined)[]
  ): Judged => ({ kind, what, next: next.filter((one) => one !== undefined) });
  const seeLetters = lettersOf(trace);
  // Of customers, only changes of the last hours are looked for.
  const isReconciled = key.kind !== 'member';
  if (store.kind === 'gone' && !entry) {
    const none = 'Neither the store nor the ledger has it.';
    return wait
      ? say('pending', `${none} ${sentence(waitText(wait, pause))}`, wake(trace), seeLetters)
      : say('unknown', none, seeLetters);
  }
  if (store.kind === 'unavailable' || !mapped) {
    const what = store.kind === 'unavailable' ? unreadWords(store) : 'The store could not be read.';
    return say('unknown', what, DOCTOR);
  }
  if (trace.isObserved) {
    const compare = line('compare', ['orders'], { since: '24h', shop: key.shop });
    // Of an order, what the service holds of it; what would be sent, the amounts below say.
    const { verdict, reason } = judgeOrder(trace);
    const inService = key.kind === 'order' ? ` In the service: ${verdict}, ${reason}.` : '';
    const what = `Its shop is only being observed: nothing is sent before go-live.${inService}`;
    return say(undefined, what, { label: 'Compare what would be sent', line: compare });
  }
  const judged = judgeSides(trace);
  const { kind, what } = judged;
  if (mapped.kind === 'fault') return say(kind, what, seeLetters);
  if (mapped.kind === 'skip') return say(kind, what, held.kind === 'unknown' ? DOCTOR : undefined);
  const rejected = `${counted(letters.length, 'dead letter')} about it: ${letters[0]?.why.replace(/\.?$/, '.')}`;
  const isRefusing =
    (held.kind === 'unknown' && held.isRefused) ||
    (pause?.by === 'service' && pause.why === 'misconfigured');
  const waitsRefused =
    wait?.waitsFor === 'misconfigured' && `Its message is waiting ${FOR_WHAT.misconfigured}.`;
  const refused = isRefusing ? `${REFUSED}.` : waitsRefused;
  if (kind === 'ok') {
    const left = counted(letters.length, 'dead letter');
    const old =
      letters.length > 0 ? ` ${left} about it left over: nothing is missing any more.` : '';
    return say(kind, `${what}${old}`, seeLetters);
  }
  if (judged.finding === 'cancelled-there') return say(kind, what, seeLetters);
  if (judged.isApplied && !entry?.uncertain) {
    if (held.kind === 'cannot-be-read') {
      const last = entry?.outcomes.findLast(({ outcome }) => outcome === 'applied');
      const sentAt = last ? ` at ${utcText(last.at)} UTC` : '';
      return say(undefined, `Its current state was sent${sentAt}. ${what}`, seeLetters);
    }
    if (held.kind === 'unknown') return say(kind, what, held.isRefused ? DOCTOR : STATUS);
    // The ledger would not send it again by itself. Nor may anybody, before a person has seen what that does to points.
    const mayHelp = judged.differences.length > 0 && !judged.isCancelledThere;
    const again = resend(trace, { force: true }, 'If the store is right, send it again:');
    return say(kind, what, mayHelp ? again : undefined, seeLetters);
  }
  if (letters.length > 0 && !wait) {
    // It says why, too.
    const not = missingText(trace, { ...judged, notSent: 'not-sent' }).replace(' yet', '');
    return say(
      'action required',
      `${entry?.uncertain ? `${CALL_UNKNOWN}.` : not} ${rejected}`,
      seeLetters,
    );
  }
  const missing = entry?.uncertain ? `${CALL_UNKNOWN}.` : missingText(trace, judged);
  if (refused) return say('action required', `${missing} ${refused}`, DOCTOR);
  if (wait) {
    if (pause && triedAt(wait, [pause]) === Number.POSITIVE_INFINITY) {
      const until = pause.by === 'go-live' ? 'after go-live' : 'when you resume';
      // That it was given up before is in what happened.
      const not = entry?.uncertain ? missing : 'Not sent:';
      const words = `${not} ${pausedText(pause)}. It is sent ${until}.`;
      return say('action required', words, wake(trace), seeLetters);
    }
    const words = `${missing} Retrying automatically: ${waitText(wait, pause)}.`;
    return say('pending', words, wake(trace), seeLetters);
  }
  if (entry?.uncertain) {
    const later = isReconciled ? 'The next event or reconcile' : 'Its next change or order';
    return say('pending', `${missing} ${later} sends it again.`);
  }
  const send = resend(trace, { wait: true, yes: true });
  const holds = pause ? ` Anything sent now waits for a pause to end: ${pauseText(pause)}.` : '';
  if (judged.notSent !== 'not-sent') {
    return say('action required', `${missing} "resend" sends it anyway.${holds}`, send);
  }
  if (store.kind === 'gone') {
    const found = isReconciled ? ', or a deep reconcile finds it' : '';
    const gone = `The store no longer has it: its deletion is on its way${found}.`;
    return say('pending', `${missing} ${gone}${holds}`, STATUS);
  }
  if (ready > 0) {
    const queued = 'Messages are on the queue, perhaps one about it; if not, "resend" sends it.';
    return say('pending', `${missing} ${queued}${holds}`, STATUS, send);
  }
  const later = isReconciled
    ? reconcileText(trace.changedAt ?? 0)
    : 'a reconcile soon after its change does, or its next change or order';
  const lost = `No event about ${entry ? 'this state' : 'it'} was accepted, and none is on the queue. "resend" sends it now; otherwise ${later}.`;
  return say(isReconciled ? 'pending' : 'action required', `${missing} ${lost}${holds}`, send);
}

/** The last minutes are left to events that may still come. */
function reconcileText(changedAt: number): string {
  const now = new Date();
  const from = changedAt + QUIET_MINUTES * 60_000;
  if (from <= now.getTime()) return 'the next reconcile finds it';
  return `the first reconcile after ${momentText(new Date(from).toISOString(), now)} finds it`;
}

function lettersOf({ key, letters }: Trace): Suggestion | undefined {
  const [letter, ...others] = letters;
  const show = letter && line('dead-letters show', [letter.letterId]);
  if (others.length === 0) return show && { label: 'See the dead letter', line: show };
  const label = `See ${letters.length} dead letters`;
  return { label, line: line('dead-letters list', [], { id: key.id, shop: key.shop }) };
}

/** Ends its wait: what a pause holds is only sent when that ends. */
function wake({ key: { shop }, pause, waits: [wait] }: Trace): Suggestion | undefined {
  if (!wait || wait.waitsFor === 'planned') return undefined;
  if (pause && isHolding(pause, wait)) return resumeSuggestion(pause);
  if (!mayBeWoken(wait, new Date())) return undefined;
  return { label: 'Retry now', line: line('retry-now', [], { shop }) };
}

/** Without `--yes`, it shows what would be sent. */
function resend(
  { key: { shop, kind, id } }: Trace,
  options: Options,
  say = 'To send it now:',
): Suggestion {
  const named = kind === 'member' ? 'customer' : kind;
  return { label: 'Send again', say, line: line('resend', [named, id], { shop, ...options }) };
}

/** Whether the order has points, in words for its customer: first what the service says. Undefined for what is no order. */
export function pointsText({ key, mapped, held, earned, isObserved }: Trace): string | undefined {
  if (isObserved || key.kind !== 'order' || mapped?.kind !== 'wanted') return undefined;
  if (earned?.state === 'earns') {
    return `The loyalty service has the order, and grants ${earned.points ?? 'its'} points for it.`;
  }
  const { wanted } = mapped;
  if (wanted.kind !== 'order') return 'No points: the order was cancelled or wholly refunded.';
  if (!wanted.order.IsCompleted) {
    return 'No points yet: the order earns them once it is complete (rules.completeWhen).';
  }
  if (wanted.order.OrderTotal === 0) {
    return 'No points: no part of the payment counts. The amounts below show why.';
  }
  if (held.kind === 'absent') return 'No points yet.';
  return earned?.state === 'none'
    ? 'No points: the loyalty service has the order and grants none for it.'
    : 'The loyalty service did not say how many points it grants.';
}

/** Completes a sentence about it: `its message is waiting for …`. */
function waitText(wait: Trace['waits'][number], pause: Trace['pause']): string {
  const at = triedAt(wait, pause ? [pause] : []);
  const next = Number.isFinite(at) ? `, and the next attempt is at ${utcText(at)} UTC` : '';
  if (!pause || at === wait.until) {
    return `its message is waiting ${FOR_WHAT[wait.waitsFor]}${whysText([wait.why])}${next}`;
  }
  return `its message waits for a pause to end (${pauseText(pause)})${next}`;
}
