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
import { type Deployment, nextCommand, openLedger } from '../deployment/deployment.ts';
import { localUser } from '../deployment/read-caller.ts';
import { openShopServices } from '../deployment/services.ts';
import { text } from '../document/document.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { readWaiting, type WaitingInShop } from '../pause/waiting-messages.ts';
import type { CommonOptions, Session } from '../session.ts';
import { MOST_WAITS } from '../trace/collect-trace.ts';
import { findEntity, parseKind } from '../trace/find.ts';
import { waitText } from '../trace/judge-trace.ts';

export interface ResendOneOptions extends CommonOptions {
  readonly shop?: string;
  readonly dryRun?: boolean;
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
): Promise<ExitCode> {
  const { terminal, json } = session;
  const kind = parseKind(kindText);
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, options.shop);
  const services = openShopServices(deployment);
  const { id } = await findEntity(kind, idText, { deployment, services, shop });
  const key = { shop: shop.domain, kind, id };
  const plan = await foreseeSending(deployment, key, options.force === true);
  // A person who gave --yes wants the result.
  if (!json && !(options.yes && wouldSend(plan))) printPlan(session, plan, options);
  const document = { ...key, wouldSend: wouldSend(plan), ...planAsJson(plan, options) };
  if (!wouldSend(plan)) {
    if (json) terminal.json({ ...document, sent: 0 });
    return isFine(plan.prospect) ? EXIT.fine : EXIT.failed;
  }
  const agreed = options.yes || (!options.dryRun && (await terminal.confirm('Send it?')));
  if (options.dryRun || !agreed) {
    if (json) terminal.json({ ...document, sent: 0 });
    else terminal.hint('Nothing was sent. Repeat with --yes to do it.');
    return options.dryRun ? EXIT.fine : EXIT.failed;
  }
  const change = await session.beginChange(deployment, 'change', key);
  await openSourceQueues(deployment, [queueFamilyOf(kind)]).queue.send(plan.event);
  change.count({ sent: 1 });
  const outcome = options.wait ? await follow(session, deployment, key, plan.event) : undefined;
  if (json) terminal.json({ ...document, sent: 1, ...(outcome && { outcome }) });
  else report(session, deployment, key, outcome);
  return outcome === undefined || GOOD.has(outcome) ? EXIT.fine : EXIT.failed;
}

async function foreseeSending(
  deployment: Deployment,
  key: EntityKey,
  force: boolean,
): Promise<Plan> {
  const now = new Date();
  const event = toEvent(key, force, now);
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

/**
 * Without a body: the worker reads the store, and the ledger decides what is sent. An order keeps its rules. The
 * name has the moment, because a person who repaired something may send it again within five minutes.
 */
function toEvent(key: EntityKey, force: boolean, now: Date): StoreEvent {
  const at = now.toISOString();
  return {
    ...key,
    claim: 'changed',
    origin: 'backfill',
    topic: backfillTopicOf(key.kind),
    deliveryId: `resend/${key.kind}/${key.id}/${at}`,
    receivedAt: at,
    replays: [{ at, by: localUser() }],
    ...(force && { force }),
    body: undefined,
  };
}

const wouldSend = ({ prospect }: Plan): boolean =>
  prospect.kind === 'preview' && prospect.preview.outcome.kind === 'applied';

/** The loyalty service has what it should have. */
function isFine(prospect: Prospect): boolean {
  if (prospect.kind !== 'preview') return false;
  const { kind } = prospect.preview.outcome;
  return kind === 'unchanged' || kind === 'superseded' || kind === 'skipped';
}

function planAsJson({ prospect, waits }: Plan, options: ResendOneOptions) {
  return {
    ...(options.dryRun && { dryRun: true }),
    now: prospectData(prospect, options),
    waiting: waits.map(({ waitsFor, why, until }) => ({
      ...{ waitsFor, why, nextTry: new Date(until).toISOString() },
    })),
  };
}

function printPlan(session: Session, plan: Plan, options: ResendOneOptions): void {
  const { kind, id, shop } = plan.event;
  const [wait] = plan.waits;
  session.show({
    title: `${kind} ${id} of ${shop}`,
    blocks: [
      ...prospectBlocks(prospectData(plan.prospect, options)),
      ...(wait && wouldSend(plan)
        ? [text(`Before it, ${waitText(wait)}. To end the wait: retry-now.`)]
        : []),
    ],
  });
}

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

const GOOD: ReadonlySet<Outcome> = new Set(['applied', 'settled']);

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  applied: 'Done: the loyalty service accepted it.',
  rejected: 'It was given up, and is a dead letter.',
  waiting: 'It has no outcome yet: it waits for its next attempt, and the workers go on.',
  settled: 'Done: nothing had to be sent any more.',
  other: 'It was handled in another way than foreseen.',
};

function report(
  { terminal }: Session,
  deployment: Deployment,
  { kind, id, shop }: EntityKey,
  outcome: Outcome | undefined,
): void {
  const words =
    outcome === undefined ? 'It is on the queue, and a worker sends it.' : OUTCOMES[outcome];
  terminal.line(words);
  const traced = kind === 'member' ? 'customer' : kind;
  terminal.hint(`What happened: ${nextCommand(deployment, `trace ${traced} --shop ${shop}`, id)}`);
}
