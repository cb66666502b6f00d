import {
  type EntityKey,
  queueFamilyOf,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import { type EntityEntry, readEntry } from '../../../shared/core/ledger/ledger.ts';
import { backfillTopicOf } from '../../../shared/shopify/webhooks/topics.ts';
import { findShop } from '../arguments.ts';
import {
  examiningDeps,
  foresee,
  type Prospect,
  prospectBlocks,
  prospectData,
} from '../dead-letters/examine.ts';
import {
  type FollowedLetter,
  followReplayed,
  openLetterSearch,
} from '../dead-letters/follow-replayed.ts';
import { openSourceQueues } from '../dead-letters/read.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { localUser } from '../deployment/read-caller.ts';
import { openShopServices, orderNames } from '../deployment/services.ts';
import { type Document, text, type Verdict, type VerdictKind } from '../document/document.ts';
import { line } from '../document/line.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { readWaiting, type WaitingInShop } from '../pause/waiting-messages.ts';
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

interface Plan {
  readonly event: StoreEvent;
  readonly entry: EntityEntry | undefined;
  readonly prospect: Prospect;
  /** Messages of the same entity that wait: this one comes after them. */
  readonly waits: readonly WaitingInShop[];
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
  const key = { shop: shop.domain, kind, id };
  const plan = await foreseeSending(deployment, key, options.force === true);
  const names = kind === 'order' ? await orderNames(services.ask(shop), [id]) : undefined;
  const title = `Resend of ${kindText} ${names?.get(id) ?? id} of ${shop.domain}`;
  const now = prospectData(plan.prospect, options);
  const data = { ...key, wouldSend: wouldSend(plan), now, waiting: plan.waits };
  const preview = { title, ...previewOf(plan, now, options), data: { ...data, sent: 0 } };
  if (!wouldSend(plan)) return preview;
  if (!options.yes) {
    session.show(preview);
    if (!(await session.terminal.confirm('Send it?'))) return EXIT.fine;
  }
  const change = await session.beginChange(deployment, 'change', key);
  await openSourceQueues(deployment, [queueFamilyOf(kind)]).queue.send(plan.event);
  change.count({ sent: 1 });
  const outcome = options.wait ? await follow(session, deployment, key, plan.event) : undefined;
  const letters = { label: 'See the dead letter', line: line('dead-letters show', [id]) };
  return {
    title,
    ...(outcome && { verdict: OUTCOMES[outcome] }),
    blocks: outcome ? [] : [text('It is on the queue, and a worker sends it.')],
    next: [
      ...(outcome === 'rejected' ? [letters] : []),
      { label: 'What happened', line: line('trace', [kindText, id], { shop: shop.domain }) },
    ],
    data: { ...data, sent: 1, ...(outcome && { outcome }) },
  };
}

async function foreseeSending(
  deployment: Deployment,
  key: EntityKey,
  force: boolean,
): Promise<Plan> {
  const now = new Date();
  const replays = [{ at: now.toISOString(), by: localUser() }];
  const event = { ...resendEvent(key, now), replays, ...(force && { force }) };
  const [entry, waiting] = await Promise.all([
    readEntry(openLedger(deployment), key),
    readWaiting(deployment, [key.shop], now, MOST_WAITS),
  ]);
  const waits = waiting.filter(({ about }) => about.kind === key.kind && about.id === key.id);
  return {
    event,
    entry,
    waits,
    prospect: await foresee(event, key, entry, examiningDeps(deployment)),
  };
}

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

const wouldSend = ({ prospect }: Plan): boolean =>
  prospect.kind === 'preview' && prospect.preview.outcome.kind === 'applied';

/** What would be sent, or why nothing would. */
function previewOf(
  { event, prospect, waits, ...plan }: Plan,
  now: ReturnType<typeof prospectData>,
  { wait, force }: ResendOneOptions,
): Omit<Document, 'title'> {
  const sends = wouldSend({ event, prospect, waits, ...plan });
  const operands = [event.kind === 'member' ? 'customer' : event.kind, event.id];
  const { shop } = event;
  const outcome = prospect.kind === 'preview' ? prospect.preview.outcome.kind : prospect.kind;
  const [first] = waits;
  return {
    ...(PROBLEMS[outcome] && { verdict: { kind: PROBLEMS[outcome], what: now.summary } }),
    blocks: [
      ...prospectBlocks(now),
      ...(first && sends ? [text(`Before it, ${waitText(first)}.`)] : []),
      ...(sends ? [text('Nothing was sent.')] : []),
    ],
    next: [
      ...(first && sends ? [{ label: 'End the wait', line: line('retry-now', [], { shop }) }] : []),
      ...(sends
        ? [
            {
              label: 'Send it',
              line: line('resend', operands, { shop, force, wait, yes: true }),
            },
          ]
        : []),
      ...(outcome === 'unchanged'
        ? [
            {
              label: 'Send it anyway',
              say: 'If the loyalty service has lost it:',
              line: line('resend', operands, { shop, force: true }),
            },
          ]
        : []),
    ],
  };
}

/** What would not help, by its prospect or outcome. */
const PROBLEMS: Readonly<Record<string, VerdictKind>> = {
  rejected: 'action required',
  retry: 'waits',
  unreadable: 'action required',
  unknown: 'not known',
};

type Outcome = 'applied' | 'rejected' | 'waiting' | 'settled' | 'other';

async function follow(
  session: Session,
  deployment: Deployment,
  key: EntityKey,
  { replays = [], receivedAt }: StoreEvent,
): Promise<Outcome> {
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
  return outcomeOf(followed[0] ?? { result: 'other' });
}

function outcomeOf({ result }: Pick<FollowedLetter, 'result'>): Outcome {
  if (result === 'failing') return 'rejected';
  if (result === 'underway') return 'waiting';
  if (result === 'applied') return 'applied';
  return result === 'settled' || result === 'unchanged' ? 'settled' : 'other';
}

/** As it was read in the ledger and on the queues just now. */
const OUTCOMES: Readonly<Record<Outcome, Verdict>> = {
  applied: { kind: 'well', what: 'The loyalty service accepted it.' },
  rejected: { kind: 'action required', what: 'It was given up, and is a dead letter.' },
  waiting: {
    kind: 'waits',
    what: 'It has no outcome yet: it waits for its next attempt, and the workers go on.',
  },
  settled: { kind: 'well', what: 'It was settled: nothing had to be sent any more.' },
  other: { kind: 'not known', what: 'It was handled in another way than foreseen.' },
};
