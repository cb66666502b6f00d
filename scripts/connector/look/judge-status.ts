import { OLDEST_MESSAGE_MINUTES, RECONCILE_MINUTES } from '../../../shared/config/metrics.ts';
import {
  areWebhooksLost,
  RUNS_MISSED,
  sumOf,
} from '../../../shared/core/reconcile/last-reconcile.ts';
import { REFUSED_SECRET_MAX_AGE_MS } from '../../../shared/services/shop-secrets.ts';
import {
  type CheckResult,
  type Finding,
  fail,
  info,
  pass,
  rootsOf,
  unknown,
  warn,
} from '../ground/checks/check.ts';
import type { CredentialStatus } from '../ground/checks/read-secret.ts';
import { FOR_WHAT, whysText } from '../ground/checks/waiting-messages.ts';
import type { LastHour, Sign } from '../ground/session/figures.ts';
import { messagesIn } from '../ground/session/queues.ts';
import type { Suggestion, Verdict } from '../ground/terminal/document.ts';
import { DOCTOR } from '../ground/terminal/document.ts';
import { line } from '../ground/terminal/line.ts';
import { counted, countedWith, momentText, spanText } from '../ground/terminal/text.ts';
import {
  type Known,
  type QueueStatus,
  type ReconcileStatus,
  type Status,
  undecidedIn,
  type WaitingStatus,
} from './collect-status.ts';

/**
 * What the checks and the other parts show: `fail` needs a person, `unknown` may need one, `warn` goes on by itself,
 * and `info` is worth knowing, but not urgent. What stops everything comes before what one message met.
 */
export function judgeStatus(status: Status): readonly CheckResult[] {
  const { checks, waiting, queues, lastHour, lastDay, reconcile, notices, credentials } = status;
  const now = new Date(status.at);
  const part = <Value>(
    name: string,
    read: Known<Value> | undefined,
    judge: (value: Value) => Iterable<Finding>,
  ): CheckResult => {
    if (!read) return { name, findings: [] };
    const findings =
      read.kind === 'known'
        ? [...judge(read.value)]
        : [unknown(`could not be read: ${read.why}`, DOCTOR)];
    return { name, findings };
  };
  return [
    ...checks,
    // What is planned waits for nothing that a person could do.
    part('waiting messages', waiting, (groups) =>
      groups
        .filter(({ waitsFor }) => waitsFor !== 'planned')
        .map((group) => judgeGroup(group, status, now)),
    ),
    part('the last hour', lastHour, (hour) => judgeHour(hour, status, now)),
    { name: 'signatures', findings: lastHour ? [] : [NOT_COUNTED] },
    part('the last day', lastDay, () => []),
    part('queues', queues, (all) => all.flatMap((one) => [...judgeQueue(one)])),
    part('reconcile', reconcile, (runs) =>
      runs.flatMap((run) => [...judgeReconcile(run, now, credentials)]),
    ),
    part('notices', notices, (all) =>
      all.map(({ shop, at, why, id }) => ({ ...info(`${at.slice(0, 10)} ${why} (${id})`), shop })),
    ),
  ];
}

export const NOT_COUNTED = info(
  "refused signatures are not counted with deployment.monitoring 'basic': see Url4xxCount of receive-webhook in CloudWatch",
);

/** "All clear" is said only if every part could be read. */
export function verdictOf(results: readonly CheckResult[], { queues }: Status): Verdict {
  const roots = rootsOf(results);
  const of = (verdict: Finding['verdict']) =>
    roots.filter(({ finding }) => finding.verdict === verdict);
  const fails = of('fail').length;
  if (fails > 0) {
    return { kind: 'action required', what: `${countedWith(fails, 'problem', 'need')} you.` };
  }
  const open = [...new Set(of('unknown').map(({ name }) => name))];
  if (open.length > 0) {
    return { kind: 'unknown', what: `Not everything could be checked: ${open.join(', ')}.` };
  }
  const waits = of('warn');
  if (waits.some(({ finding }) => finding.lacks?.includes('calls'))) {
    return { kind: 'pending', what: 'Calls are paused; what waits for them is sent afterwards.' };
  }
  if (waits.length > 0) return { kind: 'pending', what: 'Retrying automatically.' };
  const left = queues.kind === 'known' ? messagesIn(queues.value) : 0;
  const rest = left === 0 ? '' : `; ${counted(left, 'message')} on the queues`;
  return { kind: 'ok', what: `All clear${rest}.` };
}

function judgeGroup(group: WaitingStatus, { checks, credentials }: Status, now: Date): Finding {
  const { shop, waitsFor, messages, since, nextTry, whys, mayBeEarlier } = group;
  const tryAt = nextTry === undefined ? Number.POSITIVE_INFINITY : Date.parse(nextTry);
  const waits = `${counted(messages, 'message')} waiting`;
  const said = `${waits} ${FOR_WHAT[waitsFor]} since ${momentText(since, now)}${whysText(whys)}`;
  const inMs = Math.max(tryAt - now.getTime(), 0);
  const when = inMs < 1_000 ? 'now' : `in ${spanText(inMs)}`;
  const next = Number.isFinite(tryAt) ? `, next try ${when}` : '';
  const what = `${said}${next}`;
  const again: Suggestion = {
    label: 'Retry now',
    line: line('retry-now', [], { shop }),
    say: 'Retries are automatic. If the cause is already fixed, retry now:',
  };
  // A pause has the command that ends it; it is also why they wait.
  const [needs, of] = [['calls'], { shop }];
  const paused = checks.some(({ findings }) =>
    findings.some((one) => one.shop === shop && one.lacks?.includes('calls')),
  );
  const isOld = now.getTime() - Date.parse(since) > OLDEST_MESSAGE_MINUTES * 60_000;
  switch (waitsFor) {
    case 'paused':
      return { ...warn(what), ...of, needs };
    case 'misconfigured': {
      const entered = enteredAt(credentials, ['loyalty', 'store'], shop);
      // What is refused again waits for longer than that.
      if (entered > 0 && tryAt < entered + REFUSED_SECRET_MAX_AGE_MS) {
        const at = momentText(new Date(entered).toISOString(), now);
        return { ...warn(`${waits}: refused before a secret was entered at ${at}${next}`), ...of };
      }
      // The pause says until when.
      return { ...fail(paused ? said : what, DOCTOR), ...of, needs };
    }
    case 'patience':
    case 'planned':
      break;
    case 'connector':
    case 'loyalty':
    case 'store':
    case 'throttled':
      // The alarms ring then, too: `stuck` and `crash`.
      if (isOld || whys.includes('broke-off')) return { ...fail(what, DOCTOR), ...of, needs };
  }
  return { ...(paused || !mayBeEarlier ? warn(what) : warn(what, again)), ...of };
}

/** What the figures of the last hour show. They are of all shops together. */
function* judgeHour(hour: LastHour, status: Status, now: Date): Iterable<Finding> {
  const { waiting, queues, shops, credentials } = status;
  const { misconfigured, crash, signs } = hour;
  // Where messages wait for it, their records say more.
  const isRecorded =
    waiting.kind === 'known' && waiting.value.some((one) => one.waitsFor === 'misconfigured');
  if (misconfigured > 0 && !isRecorded) {
    const times = counted(misconfigured, 'time');
    const what = `credentials, scopes or an address were refused ${times} in the last hour`;
    // Every message that met it stays on its queue: it is solved where all that are left wait for something else.
    const known = waiting.kind === 'known' ? waiting.value : [];
    const others = known.reduce((sum, { messages }) => sum + messages, 0);
    const isSolved = queues.kind === 'known' && messagesIn(queues.value) <= others;
    const seen = lastSeen(what, signs.misconfigured, now);
    const { lastAt = now.getTime(), acceptedSince = 0 } = signs.misconfigured ?? {};
    const isUsed = shops.length > 1 || acceptedSince > 0;
    const isEntered = !isUsed && enteredAt(credentials, ['loyalty', 'store']) > lastAt;
    if (isSolved) yield info(`${seen}; nothing is waiting for that any more`);
    else if (isEntered) yield warn(`${seen}; a secret has been entered since`);
    else yield judgeRefused(what, signs.misconfigured, { shops, now }, DOCTOR);
  }
  if (crash > 0) {
    const { lastAt = now.getTime() } = signs.crash ?? {};
    const times = counted(crash, 'time');
    const what = `workers met an unexpected error ${times} in the last hour`;
    const until = momentText(new Date(lastAt + 3_600_000).toISOString(), now);
    // What others did since does not show that its cause is gone.
    yield fail(
      lastSeen(what, signs.crash, now),
      `The function's log has the reason (docs/runbook.md, "Function errors"). This clears at ${until} unless it happens again.`,
    );
  }
  const found = judgeSignatures(hour, { shops, now, credentials });
  if (hour['signatures-refused'] > 0 && found.verdict !== 'pass') {
    // `doctor` shows which secret to enter, and whether the address takes the stored one.
    yield found.verdict === 'info' ? found : { ...found, next: [DOCTOR] };
  }
  const older = hour['older-secret-used'];
  if (older > 0) {
    const many = counted(older, 'request');
    const what = `${many} in the last hour signed with the older webhook secret`;
    const late = credentials.filter(({ storedAt, olderUntil }) => {
      const sinceMs = now.getTime() - (storedAt ?? now).getTime();
      return olderUntil !== undefined && sinceMs > OLDER_USED_MS;
    });
    if (late.length === 0) yield info(what);
    for (const { shop, olderUntil = '' } of late) {
      const end = `that of ${shop} expires at ${momentText(olderUntil, now)}, and webhooks signed with it are refused from then on`;
      yield { ...fail(`${what}; ${end}`, OLDER_IN_USE), shop };
    }
  }
}

/** After that, the older secret is not only what a store uses for an hour after a change. */
const OLDER_USED_MS = 2 * 3_600_000;
const OLDER_IN_USE =
  'Revoke it in the app before then. If it may have leaked, end it now (docs/runbook.md, "Older webhook secret").';

interface Judging {
  readonly shops: readonly string[];
  readonly now: Date;
  readonly credentials: readonly CredentialStatus[];
}

/** When the newest of these secrets was stored, in epoch milliseconds; 0 where that is not known. */
function enteredAt(
  credentials: readonly CredentialStatus[],
  purposes: readonly CredentialStatus['purpose'][],
  shop?: string,
): number {
  const meant = credentials.filter(
    (one) => purposes.includes(one.purpose) && (shop ?? one.shop) === one.shop,
  );
  return Math.max(0, ...meant.map(({ storedAt }) => storedAt?.getTime() ?? 0));
}

/** Scanners cause a few of these. */
const FEW_BAD_SIGNATURES = 5;

/**
 * Webhooks that were refused for their signature: the receiver may accept the stored secret while the app signs with
 * another one. After a repair a stray one does not make it trouble again.
 */
export function judgeSignatures(
  hour: Pick<LastHour, 'received' | 'signatures-refused' | 'signs'>,
  judging: Judging,
): Finding {
  const { shops, now, credentials } = judging;
  const [refused, sign] = [hour['signatures-refused'], hour.signs['signatures-refused']];
  const { received } = hour;
  const isFew = refused <= FEW_BAD_SIGNATURES;
  if (isFew && received > 0) return pass(`${counted(received, 'event')} accepted in the last hour`);
  if (refused === 0) {
    return info('no event came in the last hour, so the signing secret could not be checked');
  }
  const what = `${counted(refused, 'request')} with a wrong signature refused in the last hour, repeats included`;
  const { lastAt = now.getTime(), acceptedSince = 0, sinceAccepted = refused } = sign ?? {};
  if (!isFew && acceptedSince === 0 && sinceAccepted <= FEW_BAD_SIGNATURES) {
    return info(`${lastSeen(what, sign, now)}; only ${sinceAccepted} since others were accepted`);
  }
  const storedAt = enteredAt(credentials, ['webhook']);
  const entered = `a secret was entered at ${momentText(new Date(storedAt).toISOString(), now)}`;
  if (acceptedSince === 0 && lastAt < storedAt) {
    const since = `${entered}, and the next event shows whether it is the right one`;
    const change =
      'Change something in the store, such as the note of an order, and check again in a minute.';
    return unknown(`${lastSeen(what, sign, now)}; ${since}`, change);
  }
  const enter = shops.map((shop) => {
    // During a rotation the command replaces the newer one, which it asks about, and without a terminal refuses.
    const yes = credentials.some((one) => one.shop === shop && one.olderUntil !== undefined);
    const drops = yes ? ' (the newer of the two stored ones is dropped)' : '';
    return {
      label: 'Enter the new webhook secret',
      say: `The store signs with another secret, or the sender is not the store. Enter the app's current client secret, or the secret in the plugin's options${drops}:`,
      line: line('secrets set', ['webhook'], { rotate: !yes, shop, yes }),
    };
  });
  // A receiver that refuses reads the secret again within this time.
  const readAt = storedAt + REFUSED_SECRET_MAX_AGE_MS;
  if (acceptedSince === 0 && lastAt < readAt) {
    const left = readAt - now.getTime();
    const use = left > 0 ? `may use the older one for ${spanText(left)} more` : 'uses it by now';
    const since = `${entered}, and requests were refused since: the receiver ${use}`;
    const again = 'If events are refused after that, the new secret is wrong, too.';
    return unknown(`${lastSeen(what, sign, now)}; ${since}`, again, ...enter);
  }
  if (isFew) return unknown(`${lastSeen(what, sign, now)}; none accepted`, ...enter);
  return judgeRefused(what, sign, judging, ...enter);
}

/** In a deployment of one shop it is over when something was accepted since; of several, that may be another's. */
function judgeRefused(
  what: string,
  sign: Sign | undefined,
  { shops, now }: Omit<Judging, 'credentials'>,
  ...next: readonly Suggestion[]
): Finding {
  const { acceptedSince = 0 } = sign ?? {};
  const seen = lastSeen(what, sign, now);
  if (acceptedSince === 0) return fail(`${seen}; none accepted since`, ...next);
  if (shops.length === 1) return info(`${seen}; resolved: ${acceptedSince} accepted since`);
  return unknown(`${seen}; ${acceptedSince} accepted since, across all shops`, ...next);
}

function lastSeen(what: string, sign: Sign | undefined, now: Date): string {
  return sign ? `${what}, last at ${momentText(new Date(sign.lastAt).toISOString(), now)}` : what;
}

function* judgeQueue(queue: QueueStatus): Iterable<Finding> {
  const { family, oldestSeconds = 0, delivered = 0 } = queue;
  const dead = undecidedIn(queue);
  if (oldestSeconds > OLDEST_MESSAGE_MINUTES * 60) {
    const minutes = Math.round(oldestSeconds / 60);
    yield fail(`${family}: the oldest message has been waiting for ${minutes} minutes`, DOCTOR);
  }
  if (dead > 0) {
    yield fail(`${countedWith(dead, 'dead letter', `of ${family} need`)} a decision`, {
      label: `See ${counted(dead, 'dead letter')} of ${family}`,
      line: line('dead-letters list', [], { queue: family }),
    });
  }
  if (delivered > 0) {
    const letters = counted(delivered, 'dead letter');
    yield info(`${letters} of ${family}: already delivered; nothing is left to send`, {
      label: `See ${letters} to drop`,
      line: line('dead-letters list', [], { queue: family, delivered: 'yes' }),
    });
  }
}

function* judgeReconcile(
  { shop, last, recoversSince, differing }: ReconcileStatus,
  now: Date,
  credentials: readonly CredentialStatus[],
): Iterable<Finding> {
  const [looked, healed] = [sumOf(last?.lookedAt), sumOf(last?.healed)];
  const endedMs = last ? Date.parse(last.endedAt) : now.getTime();
  const minutes = Math.round((now.getTime() - endedMs) / 60_000);
  if (minutes > RECONCILE_MINUTES * RUNS_MISSED) {
    const what = `the last run ended ${minutes} minutes ago; one is expected every ${RECONCILE_MINUTES} minutes`;
    yield { ...fail(what, DOCTOR), shop };
  } else if (areWebhooksLost({ lookedAt: looked, healed })) {
    const what = `the last run had to send ${healed} of ${looked}: events are being lost`;
    const check = line('webhooks check', [], { shop });
    yield { ...fail(what, { label: 'Check that events are sent', line: check }), shop };
  }
  if (last?.refusedSince !== undefined) {
    const why = [...new Set(last.stopped.map((one) => one.why))].join(', ');
    const what = `credentials, scopes or an address refused since ${momentText(last.refusedSince, now)}${why && ` (${why})`}`;
    const isEntered = enteredAt(credentials, ['loyalty', 'store'], shop) > endedMs;
    const waits = `${what}: this shop is not synced until you fix that; others are not affected`;
    const entered = `${what}, as the last run found; a secret has been entered since`;
    yield { ...(isEntered ? warn(entered) : fail(waits, DOCTOR)), shop };
  }
  if (recoversSince !== undefined) {
    const since = momentText(recoversSince, now);
    const what = `the ledger may be incomplete, as after a loss or go-live: since ${since} everything is compared with the store and the loyalty service, a part in each run`;
    const recover = line('recover', [], { shop });
    yield { ...warn(what, { label: 'See what "recover" would do now', line: recover }), shop };
  }
  // A person corrects them; the next deep comparison shows whether they agree.
  const count = differing.filter(({ lately }) => !lately).length;
  if (count > 0) {
    const orders = counted(count, 'order');
    const see = {
      label: `See ${orders} that ${count === 1 ? 'differs' : 'differ'}`,
      line: line('reconcile status', [], { shop }),
    };
    yield { ...fail(`${countedWith(count, 'order', 'differ')} in the loyalty service`, see), shop };
  }
}
