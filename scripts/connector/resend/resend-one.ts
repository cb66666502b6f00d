import {
  type EntityKey,
  queueFamilyOf,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import { readEntry } from '../../../shared/core/ledger/ledger.ts';
import { backfillTopicOf } from '../../../shared/shopify/webhooks/topics.ts';
import { findShop } from '../arguments.ts';
import { openSourceQueues } from '../dead-letters/read.ts';
import { followReplayed, openLetterSearch } from '../dead-letters/replay-command.ts';
import { examiningDeps, foresee, prospectBlocks, prospectData } from '../dead-letters/show.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { localUser } from '../deployment/read-caller.ts';
import { openShopServices, orderNames } from '../deployment/services.ts';
import { type Document, text, type Verdict, type VerdictKind } from '../document/document.ts';
import { line, type Options } from '../document/line.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { readWaiting } from '../pause/waiting-messages.ts';
import type { CommonOptions, Session } from '../session.ts';
import { MOST_WAITS } from '../trace/collect-trace.ts';
import { findEntity, parseKind } from '../trace/find.ts';
import { waitText } from '../trace/judge-trace.ts';

export interface ResendOneOptions extends CommonOptions {
  readonly shop?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly wait?: boolean;
}

/** Foresee what the worker would do → show it → ask → send → follow. */
export async function resendOne(
  session: Session,
  options: ResendOneOptions,
  kindText: string,
  idText: string,
): Promise<Document | ExitCode> {
  const kind = parseKind(kindText);
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, options.shop);
  const services = openShopServices(deployment);
  const { id } = await findEntity(kind, idText, { deployment, services, shop });
  const names = kind === 'order' ? await orderNames(services.ask(shop), [id]) : undefined;
  const title = `Resend of ${kindText} ${names?.get(id) ?? id} of ${shop.domain}`;
  const key = { shop: shop.domain, kind, id };
  const at = new Date();
  const replays = [{ at: at.toISOString(), by: localUser() }];
  const event = { ...resendEvent(key, at), replays, ...(options.force && { force: true }) };
  const entry = await readEntry(openLedger(deployment), key);
  const prospect = await foresee(event, key, entry, examiningDeps(deployment));
  const outcome = prospect.kind === 'preview' ? prospect.preview.outcome.kind : prospect.kind;
  const now = prospectData(prospect, options);
  const lineWith = (given: Options) =>
    line('resend', [kindText, id], { shop: shop.domain, ...given });
  if (outcome !== 'applied') {
    const verdict = PROBLEMS[outcome];
    return {
      title,
      ...(verdict && { verdict: { kind: verdict, what: now.summary } }),
      blocks: prospectBlocks(now).slice(verdict ? 1 : 0),
      next: outcome === 'unchanged' ? [{ ...ANYWAY, line: lineWith({ force: true }) }] : [],
      data: { ...key, wouldSend: false, now, sent: 0 },
    };
  }
  const data = { ...key, wouldSend: true, now };
  if (!options.yes) {
    const waiting = await readWaiting(deployment, [shop.domain], at, MOST_WAITS);
    // This one comes after it.
    const wait = waiting.find(({ about }) => about.kind === kind && about.id === id);
    const wake = { label: 'End the wait', line: line('retry-now', [], { shop: shop.domain }) };
    const send = lineWith({ force: options.force, wait: true, yes: true });
    session.show({
      title,
      blocks: [
        ...prospectBlocks(now),
        ...(wait ? [text(`Before it, ${waitText(wait)}.`)] : []),
        text('Nothing was sent.'),
      ],
      next: [{ label: 'Send it', line: send }, ...(wait ? [wake] : [])],
      data: { ...data, sent: 0 },
    });
    if (!(await session.terminal.confirm('Send it?'))) return EXIT.fine;
  }
  const change = await session.beginChange(deployment, 'change', key);
  await openSourceQueues(deployment, [queueFamilyOf(kind)]).queue.send(event);
  change.count({ sent: 1 });
  const result = options.wait ? await follow(session, deployment, key, event) : undefined;
  const letters = { label: 'See the dead letter', line: line('dead-letters show', [id]) };
  return {
    title,
    ...(result !== undefined && { verdict: RESULTS[result] ?? OTHERWISE }),
    blocks: options.wait ? [] : [text('It is on the queue, and a worker sends it.')],
    next: [
      ...(result === 'failing' ? [letters] : []),
      { label: 'What happened', line: line('trace', [kindText, id], { shop: shop.domain }) },
    ],
    data: { ...data, sent: 1, outcome: result },
  };
}

const ANYWAY = { label: 'Send it anyway', say: 'If the loyalty service has lost it:' };

/** Without a body: the worker reads the store, and the ledger decides what is sent. */
export function resendEvent(key: EntityKey, now: Date): StoreEvent {
  const at = now.toISOString();
  return {
    ...key,
    claim: 'changed',
    origin: 'backfill',
    topic: backfillTopicOf(key.kind),
    // A person who repaired something may send it again within five minutes.
    deliveryId: `resend/${key.kind}/${key.id}/${at}`,
    receivedAt: at,
    body: undefined,
  };
}

/** What would not help, by its prospect or outcome. */
const PROBLEMS: Readonly<Record<string, VerdictKind>> = {
  rejected: 'action required',
  retry: 'waits',
  unreadable: 'action required',
  unknown: 'not known',
};

async function follow(
  session: Session,
  deployment: Deployment,
  key: EntityKey,
  { replays = [], receivedAt }: StoreEvent,
): Promise<string> {
  const family = queueFamilyOf(key.kind);
  const progress = session.terminal.progress('Waiting for its outcome:', 1);
  const followed = await followReplayed([{ family, key, ...key, at: receivedAt }], {
    ledger: openLedger(deployment),
    depth: openSourceQueues(deployment, [family]).depth,
    lettersSince: openLetterSearch(deployment),
    by: replays[0]?.by ?? '',
    signal: session.interruption('Following no longer; the message is on the queue.'),
    onProgress: (settled, depth) => progress.report(settled, `${depth} messages on the queue`),
  });
  progress.end();
  return followed[0]?.result ?? '';
}

const SETTLED: Verdict = { kind: 'well', what: 'It was settled: nothing had to be sent any more.' };

/** By the result, as it was read in the ledger and on the queues just now. */
const RESULTS: Readonly<Record<string, Verdict>> = {
  applied: { kind: 'well', what: 'The loyalty service accepted it.' },
  settled: SETTLED,
  unchanged: SETTLED,
  failing: { kind: 'action required', what: 'It was given up, and is a dead letter.' },
  underway: {
    kind: 'waits',
    what: 'It has no outcome yet: it waits for its next attempt, and the workers go on.',
  },
};

const OTHERWISE: Verdict = { kind: 'not known', what: 'It went another way than foreseen.' };
