import { HEALED_PERCENT, OLDEST_MESSAGE_MINUTES } from '../../../shared/config/metrics.ts';
import { differingIn } from '../../../shared/core/reconcile/deep-scan.ts';
import {
  areWebhooksLost,
  RUNS_MISSED,
  sumOf,
} from '../../../shared/core/reconcile/last-reconcile.ts';
import type { ShownFinding, Suggestion, Verdict } from '../document/document.ts';
import { line } from '../document/line.ts';
import {
  needsPerson,
  type PauseStatus,
  pauseText,
  resumeSuggestion,
} from '../pause/read-pauses.ts';
import { FOR_WHAT } from '../pause/waiting-messages.ts';
import type { CredentialStatus } from '../secrets/read-secret.ts';
import { counted, momentText, spanText } from '../terminal/text.ts';
import type { SubscriptionStatus } from '../webhooks/webhooks.ts';
import {
  isEmpty,
  type Known,
  type QueueStatus,
  type ReconcileStatus,
  type Status,
  type WaitingStatus,
} from './collect-status.ts';
import type { LastHour, SignOf } from './figures.ts';

/** `doubt`: it may need a person, and what was read does not show whether. */
type Weight = 'trouble' | 'doubt' | 'wait' | 'note';

interface Judged {
  readonly weight: Weight;
  readonly shown: ShownFinding;
}

type Findings = Iterable<Judged>;

const TONES = { trouble: 'bad', doubt: 'waits', wait: 'waits', note: 'info' } as const;

const found =
  (weight: Weight) =>
  (what: string, ...next: readonly Suggestion[]): Judged => ({
    weight,
    shown: { ...{ tone: TONES[weight], what }, ...(next.length > 0 && { next }) },
  });

const trouble = found('trouble');
const doubt = found('doubt');
const wait = found('wait');
const note = found('note');

const DOCTOR: Suggestion = { label: 'Find the cause', line: line('doctor') };

/**
 * Each part is judged alone. Problems that stop everything come before problems of one message; then what could not be
 * read, and what waits and goes on by itself. Notes are worth knowing, but not urgent.
 */
export function judgeStatus(status: Status, reconcileEveryMinutes: number) {
  const { credentials, subscriptions, pauses, waiting, queues, reconcile, notices } = status;
  const unread = [...unreadIn(status)];
  const all = [
    ...unread.map(({ name, why }) => doubt(`${name} could not be read: ${why}`)),
    ...credentials.flatMap((one) => [...judgeCredential(one)]),
    ...knownIn(pauses).flatMap(judgePause),
    ...subscriptions.flatMap((one) => [...judgeSubscriptions(one, status)]),
    ...knownIn(waiting).map((group) => judgeGroup(group, status)),
    ...judgeUnrecorded(status),
    ...judgeHour(status),
    ...knownIn(queues).flatMap((one) => [...judgeQueue(one)]),
    ...knownIn(reconcile).flatMap((run) => [
      ...judgeReconcile(run, new Date(status.at), reconcileEveryMinutes),
    ]),
    ...knownIn(notices).map(({ shop, at, why, id }) =>
      note(`${at.slice(0, 10)} ${shop}: ${why} (${id})`),
    ),
  ];
  const of = (weight: Weight) =>
    all.filter((one) => one.weight === weight).map(({ shown }) => shown);
  const [troubles, doubts, waits] = [of('trouble'), of('doubt'), of('wait')];
  return {
    verdict:
      troubles.length + doubts.length > 0
        ? openVerdict(troubles.length, unread)
        : quietVerdict(notAskedIn(status), waits.length),
    findings: [...troubles, ...doubts, ...waits],
    notes: of('note'),
  };
}

const knownIn = <Value>(part: Known<readonly Value[]>): readonly Value[] =>
  part.kind === 'known' ? part.value : [];

function openVerdict(troubles: number, unread: readonly Unread[]): Verdict {
  if (troubles > 0) {
    const what = troubles === 1 ? 'One thing needs a person.' : `${troubles} things need a person.`;
    return { kind: 'action required', what };
  }
  if (unread.length > 0) {
    const names = unread.map(({ name }) => name).join(', ');
    return { kind: 'not known', what: `Nothing bad was seen, but not all was read: ${names}.` };
  }
  return { kind: 'not known', what: 'What was read does not show whether a person is needed.' };
}

function quietVerdict(notAsked: readonly string[], waits: number): Verdict {
  if (notAsked.length > 0) {
    const what = `Nothing needs a person in what you may read; ${notAsked.join(' and ')} were not asked.`;
    return { kind: 'not known', what };
  }
  if (waits > 0) return { kind: 'waits', what: 'What waits goes on by itself.' };
  return { kind: 'well', what: 'Nothing needs a person, and nothing waits.' };
}

interface Unread {
  readonly name: string;
  readonly why: string;
}

/** What this operator may not read. */
function notAskedIn({ credentials, subscriptions }: Status): readonly string[] {
  const denied = credentials.filter(({ isDenied }) => isDenied);
  const isUnread = subscriptions.some(
    ({ shop, found }) => found.kind === 'unknown' && denied.some((one) => one.shop === shop),
  );
  return [
    ...(denied.length > 0 ? ['secrets'] : []),
    ...(isUnread ? ['webhook subscriptions'] : []),
  ];
}

/** Without these parts nobody can say that all is well. What this operator may not read is a note. */
function* unreadIn(status: Status): Iterable<Unread> {
  const parts = {
    'the queues': status.queues,
    "the last hour's figures": status.lastHour,
    'what waits': status.waiting,
    'the last reconcile': status.reconcile,
    notices: status.notices,
    pauses: status.pauses,
  };
  for (const [name, part] of Object.entries(parts)) {
    if (part?.kind === 'unknown') yield { name, why: part.why };
  }
  for (const { shop, found } of status.subscriptions) {
    if (found.kind === 'unknown' && isStoreAsked(status, shop)) {
      yield { name: `webhook subscriptions of ${shop}`, why: found.why };
    }
  }
  for (const { shop, purpose, state, why = '', isDenied } of status.credentials) {
    if (state === 'unreadable' && !isDenied) {
      yield { name: `the ${purpose} secret of ${shop}`, why };
    }
  }
}

/** A store whose secret is missing or may not be read cannot be asked: that is said of the secret. */
function isStoreAsked({ credentials }: Status, shop: string): boolean {
  const secret = credentials.find((one) => one.shop === shop && one.purpose === 'store');
  return secret === undefined || secret.state === 'there';
}

function* judgeCredential(credential: CredentialStatus): Findings {
  const { shop, purpose, state, why, isDenied } = credential;
  const what = `${shop}: the ${purpose} secret ${why ?? `is ${state}`}`;
  if (isDenied) yield note(what);
  // A shop that was never deployed has no secret to set; `doctor` says how it gets one.
  if (state === 'missing') yield trouble(what, DOCTOR);
  if (state === 'malformed') {
    const set = line('secrets set', [purpose], { shop });
    yield trouble(what, { label: `Set the ${purpose} secret`, line: set });
  }
}

function judgePause(pause: PauseStatus): Judged {
  const judged = needsPerson(pause) ? trouble : wait;
  const what = pauseText(pause);
  if (pause.by === 'operator') return judged(what, resumeSuggestion(pause));
  return needsPerson(pause) ? judged(what, DOCTOR) : judged(what);
}

function* judgeSubscriptions({ shop, found }: SubscriptionStatus, status: Status): Findings {
  if (found.kind === 'unknown') {
    const what = `webhook subscriptions of ${shop}: not asked, without the store secret`;
    if (!isStoreAsked(status, shop)) yield note(what);
    return;
  }
  const { faults, notes } = found.value;
  const [first, ...others] = faults;
  if (first !== undefined) {
    const more = others.length === 0 ? '' : `, and ${others.length} more`;
    yield trouble(`${shop}: ${first}${more}`, {
      label: `See ${counted(faults.length, 'wrong subscription')}`,
      line: line('webhooks check', [], { shop }),
    });
  }
  for (const one of notes) yield note(`${shop}: ${one}`);
}

/** What waits, and whether it goes on without a person. */
function judgeGroup(group: WaitingStatus, { at, pauses }: Status): Judged {
  const { shop, waitsFor, messages, since, nextTry, whys } = group;
  const now = new Date(at);
  const [many, inMs] = [counted(messages, 'message'), Date.parse(nextTry) - now.getTime()];
  const what = `${shop}: ${many} ${messages === 1 ? 'waits' : 'wait'} ${FOR_WHAT[waitsFor]} since ${momentText(since, now)} (${whys.join(', ')}), next try in ${spanText(inMs)}`;
  const again: Suggestion = {
    label: `Try ${many} again now`,
    line: line('retry-now', [], { shop, reason: waitsFor }),
    say: 'It goes on by itself. If the cause is repaired already, you need not wait:',
  };
  // A pause has the command that ends it.
  const isPaused = waitsFor === 'paused' || knownIn(pauses).some((pause) => pause.shop === shop);
  const goesOn = isPaused ? wait(what) : wait(what, again);
  switch (waitsFor) {
    case 'paused':
    case 'patience':
      return goesOn;
    case 'misconfigured':
      return trouble(what, DOCTOR);
    case 'connector':
    case 'loyalty':
    case 'store':
    case 'throttled': {
      const minutes = (now.getTime() - Date.parse(since)) / 60_000;
      // The alarms ring then, too: `stuck` and `crash`.
      const needsPerson = minutes > OLDEST_MESSAGE_MINUTES || whys.includes('broke-off');
      return needsPerson ? trouble(what, DOCTOR) : goesOn;
    }
  }
}

/** A failed attempt says nothing of the messages that are in flight now for longer than this. */
const RECENT_MS = 5 * 60_000;

/** No wait is recorded, as of a worker that runs out of time: the figures show that attempts fail. */
function* judgeUnrecorded({ at, lastHour, queues, waiting }: Status): Findings {
  const inFlight = knownIn(queues).reduce((sum, queue) => sum + queue.inFlight, 0);
  const { retried } = lastHour?.kind === 'known' ? lastHour.value.signs : {};
  if (inFlight === 0 || !retried || knownIn(waiting).length > 0) return;
  const isRecent = Date.parse(at) - retried.lastAt <= RECENT_MS;
  if (!isRecent || retried.acceptedSince > 0) return;
  const last = momentText(new Date(retried.lastAt).toISOString(), new Date(at));
  yield wait(`${counted(inFlight, 'message')} in flight; the last attempt failed at ${last}`);
}

/** Scanners cause a few of these. */
export const FEW_BAD_SIGNATURES = 5;

/**
 * What the figures of the last hour show. They are of all shops together: in a deployment of one shop, refusals are
 * over when something was accepted since; of several, that may have been another's.
 */
function* judgeHour(status: Status): Findings {
  const { at, lastHour, lastDay, queues, waiting, credentials } = status;
  if (!lastHour) yield note("deployment.monitoring is 'basic', which writes no figures");
  if (lastDay?.kind === 'unknown') yield note(`the last day's figures: not known, ${lastDay.why}`);
  if (lastHour?.kind !== 'known') return;
  const { misconfigured, crash, signs, ...hour } = lastHour.value;

  // Where messages wait for it, their records say more.
  const isRecorded = knownIn(waiting).some((one) => one.waitsFor === 'misconfigured');
  if (misconfigured > 0 && !isRecorded) {
    // Every message that met it stays on its queue: empty queues show that it is solved.
    const isSolved = queues.kind === 'known' && queues.value.every(isEmpty);
    const times = counted(misconfigured, 'time');
    const what = `credentials, scopes or an address were refused ${times} in the last hour`;
    yield isSolved
      ? note(`${seen('misconfigured', what)}; nothing waits any more`)
      : judgeRefused('misconfigured', what);
  }
  if (crash > 0) {
    const what = `work stopped at an unexpected error ${counted(crash, 'time')} in the last hour: the log of the function has the reason`;
    // What others did since does not show that its cause is gone.
    yield trouble(seen('crash', what), DOCTOR);
  }
  if (hour['signatures-refused'] > FEW_BAD_SIGNATURES) {
    // After a repair a stray one does not make it trouble again.
    const { sinceAccepted = Number.POSITIVE_INFINITY } = signs['signatures-refused'] ?? {};
    const isStray = sinceAccepted <= FEW_BAD_SIGNATURES;
    const what = signaturesText(hour);
    yield judgeRefused('signatures-refused', what, isStray && strayText(sinceAccepted));
  }
  const older = hour['older-secret-used'];
  if (older > 0 && credentials.some(({ rotating, isDenied }) => rotating || isDenied)) {
    const many = counted(older, 'request');
    yield note(
      `${many} of the last hour came signed with the older secret: do not finish the rotation yet`,
    );
  }

  function seen(sign: SignOf, what: string): string {
    const { lastAt } = signs[sign] ?? {};
    const last = lastAt && momentText(new Date(lastAt).toISOString(), new Date(at));
    return last ? `${what}, last at ${last}` : what;
  }

  function judgeRefused(sign: SignOf, refused: string, stray: string | false = false): Judged {
    const { acceptedSince = 0 } = signs[sign] ?? {};
    const what = seen(sign, refused);
    if (acceptedSince === 0 && !stray) return trouble(`${what}; none accepted since`, DOCTOR);
    const isOneShop = new Set(status.subscriptions.map(({ shop }) => shop)).size === 1;
    if (!isOneShop) return doubt(`${what}; ${acceptedSince} accepted since, of any shop`, DOCTOR);
    return note(
      acceptedSince > 0
        ? `${what}; repaired: ${acceptedSince} accepted since`
        : `${what}; ${stray}`,
    );
  }
}

export const strayText = (sinceAccepted: number): string =>
  `all but the last ${sinceAccepted} before others were accepted`;

export function signaturesText(hour: Pick<LastHour, 'signatures-refused'>): string {
  return `${hour['signatures-refused']} webhooks were refused for their signature in the last hour: the app signs with another secret, or the sender is not Shopify`;
}

function* judgeQueue({ family, oldestSeconds = 0, dead }: QueueStatus): Findings {
  if (oldestSeconds > OLDEST_MESSAGE_MINUTES * 60) {
    const minutes = Math.round(oldestSeconds / 60);
    yield trouble(`${family}: the oldest message has waited for ${minutes} minutes`, DOCTOR);
  }
  if (dead > 0) {
    const letters = `${counted(dead, 'dead letter')} of ${family}`;
    yield trouble(`${letters} ${dead === 1 ? 'waits' : 'wait'} for a decision`, {
      label: `See ${letters}`,
      line: line('dead-letters list', [], { queue: family }),
    });
  }
}

function* judgeReconcile(run: ReconcileStatus, now: Date, everyMinutes: number): Findings {
  const { shop, last, recoversSince, ordersRead } = run;
  const [looked, healed] = [sumOf(last?.lookedAt), sumOf(last?.healed)];
  const endedMs = last ? Date.parse(last.endedAt) : now.getTime();
  const minutes = Math.round((now.getTime() - endedMs) / 60_000);
  if (minutes > everyMinutes * RUNS_MISSED) {
    const what = `${shop}: the last reconcile ended ${minutes} minutes ago, every ${everyMinutes} are expected`;
    yield trouble(what, DOCTOR);
  } else if (areWebhooksLost({ lookedAt: looked, healed }, HEALED_PERCENT)) {
    const what = `${shop}: the last reconcile had to send ${healed} of ${looked}: webhooks get lost`;
    const check = line('webhooks check', [], { shop });
    yield trouble(what, { label: 'Check the subscriptions', line: check });
  }
  if (recoversSince !== undefined) {
    const since = momentText(recoversSince, now);
    const what = `${shop}: the ledger was lost or restored; since ${since} everything is compared with the store and the loyalty service. Every run of reconcile goes on`;
    const recover = line('recover', [], { shop });
    yield wait(what, { label: 'See what "recover" would do at once', line: recover });
  }
  // A person corrects them; the next deep comparison shows whether they agree.
  const differing = differingIn(ordersRead);
  if (differing > 0) {
    const orders = counted(differing, 'order');
    yield trouble(`${shop}: the loyalty service holds another state of ${orders}`, {
      label: `See ${orders} that ${differing === 1 ? 'differs' : 'differ'}`,
      line: line('reconcile status', [], { shop }),
    });
  }
}
