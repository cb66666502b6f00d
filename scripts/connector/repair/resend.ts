import {
  type EntityKey,
  queueFamilyOf,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import { readEntry } from '../../../shared/core/ledger/ledger.ts';
import { findEntity, parseKind } from '../ground/compare/find.ts';
import {
  foresee,
  foreseeingDeps,
  prospectBlocks,
  prospectData,
} from '../ground/compare/foresee.ts';
import { openSending, type Portion, type Progress, sendPortions } from '../ground/compare/send.ts';
import { judgeSides, readSides } from '../ground/compare/sides.ts';
import { findShop } from '../ground/session/arguments.ts';
import { type Deployment, openLedger } from '../ground/session/deployment.ts';
import { localUser } from '../ground/session/read-caller.ts';
import { nameKey, openShopServices, readNames } from '../ground/session/services.ts';
import {
  type Change,
  type CommonOptions,
  carryOut,
  type Session,
} from '../ground/session/session.ts';
import { type Document, table, text, type VerdictKind } from '../ground/terminal/document.ts';
import type { ExitCode } from '../ground/terminal/exit.ts';
import { line, type Options } from '../ground/terminal/line.ts';
import { counted } from '../ground/terminal/text.ts';
import { followAll, judgeEnded } from './follow-letters.ts';

export interface ResendOptions extends CommonOptions {
  readonly shop?: string;
  readonly force?: boolean;
  readonly newRules?: boolean;
  readonly wait?: boolean;
  readonly yes?: boolean;
}

/** What would be sent, and what is said of it before. */
interface Plan {
  readonly preview: Document<object>;
  /** None where nothing has to be sent, or nothing can: then the preview is all there is. */
  readonly events: readonly StoreEvent[];
  readonly shop: string;
  /** `order`, as the command names it. */
  readonly kind: string;
}

/**
 * Foresee what the workers would do → show it → ask → send → follow. Repeated after an interruption, it foresees
 * nothing more of what was delivered meanwhile.
 */
export async function resend(
  session: Session,
  options: ResendOptions,
  kind = '',
  ...ids: readonly string[]
): Promise<Document | ExitCode> {
  const deployment = await session.findDeployment();
  const plan = await planNamed(deployment, options, kind, ids);
  const { preview, events, shop } = plan;
  const [first] = events;
  return carryOut(session, deployment, options.yes, {
    preview: () => ({ ...preview, data: { ...preview.data, sent: 0 } }),
    question: first && `Send ${counted(events.length, kind)}?`,
    about: { shop, kind: first?.kind ?? kind, id: events.map(({ id }) => id).join(' ') },
    act: (change) => sendAndFollow(session, deployment, plan, options, change),
  });
}

/** Each is a portion: what was sent before an interruption is known exactly. */
async function* portionsOf(events: readonly StoreEvent[]): AsyncGenerator<Portion<number>> {
  for (const [index, event] of events.entries()) {
    const next = index + 1 < events.length ? index + 1 : undefined;
    yield { family: queueFamilyOf(event.kind), count: 1, events: async () => [event], next };
  }
}

async function sendAndFollow(
  session: Session,
  deployment: Deployment,
  { preview: { title, data }, events, shop, kind }: Plan,
  { wait }: ResendOptions,
  change: Change,
): Promise<Document> {
  const family = queueFamilyOf(events[0]?.kind ?? 'order');
  const signal = session.interruption();
  const progress = session.terminal.progress('Sending:', events.length);
  const state: Progress<number> = { place: 0, sent: 0, savedAt: new Date().toISOString() };
  const { sent } = await sendPortions({ state, revision: 0 }, () => portionsOf(events), {
    ...openSending(deployment, [family], signal),
    // What is left is found by foreseeing it again.
    save: async (_, revision) => revision,
    onProgress(now) {
      change.count({ sent: now.sent });
      progress.report(now.sent);
    },
  }).finally(() => progress.end());
  if (sent < events.length) {
    const what = `It was stopped after ${sent} of ${counted(events.length, kind)}. Repeat the command for the rest.`;
    const verdict = { kind: 'action required', what } as const;
    return { title, verdict, blocks: [], data: { ...data, sent } };
  }
  const [only, ...others] = events;
  const seen =
    only && others.length === 0
      ? { label: 'What happened', line: line('trace', [kind, only.id], { shop }) }
      : { label: 'See how far the workers are', line: line('status') };
  if (!wait) {
    const queued = `${counted(sent, kind)} sent to the queue; the workers go on.`;
    return { title, blocks: [text(queued)], next: [seen], data: { ...data, sent } };
  }
  session.interruption('Following no longer; the messages are on the queue.');
  const asSent = events.map(({ kind, id, receivedAt: at }) => {
    const key = { shop, kind, id } as EntityKey;
    return { family, key, ...key, at };
  });
  const followed = await followAll(session, deployment, asSent, signal);
  const { verdict, next } = judgeEnded(followed);
  return {
    ...{ title, verdict, blocks: [], next: [...next, seen] },
    data: { ...data, sent, outcome: followed[0]?.result },
  };
}

/** Without a body: the worker reads the store, and the ledger decides what is sent. */
function resendEvent(key: EntityKey, { force, newRules }: ResendOptions): StoreEvent {
  const at = new Date().toISOString();
  return {
    ...key,
    claim: 'changed',
    origin: 'backfill',
    topic: `resend/${key.kind}`,
    // A person who repaired something may send it again within five minutes.
    deliveryId: `resend/${key.kind}/${key.id}/${at}`,
    receivedAt: at,
    replays: [{ at, by: localUser() }],
    body: undefined,
    ...(force && { force: true }),
    ...(newRules && { newRules: true }),
  };
}

async function planNamed(
  deployment: Deployment,
  options: ResendOptions,
  kindText: string,
  typed: readonly string[],
): Promise<Plan> {
  const kind = parseKind(kindText);
  const shop = findShop(deployment.connector, options.shop);
  const { domain } = shop;
  const services = openShopServices(deployment);
  const searched = { deployment, services, shop };
  const hits = await Promise.all(typed.map((one) => findEntity(kind, one, searched)));
  const ids = [...new Set(hits.map(([{ id }]) => id))];
  const entities = ids.map((id) => ({ kind, id }));
  const names = await readNames(services, shop, entities);
  const titles = new Map(hits.map(([hit]) => [hit.id, hit.name]));
  const nameOf = (id: string) => names.get(nameKey({ kind, id })) ?? titles.get(id) ?? id;
  const found = await Promise.all(
    ids.map((id) => foreseeOne(deployment, { shop: domain, kind, id }, options)),
  );
  const events = found.flatMap(({ outcome, event }) => (outcome === 'applied' ? [event] : []));
  const lineWith = (given: Options) =>
    line('resend', [kindText, ...ids], { shop: domain, wait: true, yes: true, ...given });
  const [one, ...others] = found;
  const many = counted(events.length, kindText);
  const send = {
    label: events.length === 1 ? 'Send it' : `Send ${many}`,
    line: lineWith({ force: options.force, 'new-rules': options.newRules }),
  };
  const rows = found.map(({ key, now }) => [nameOf(key.id), now.summary]);
  const preview = {
    title: `Send ${kindText}${ids.length > 1 ? 's' : ''} ${ids.map(nameOf).join(', ')} of ${domain} again`,
    blocks: [
      ...(one && others.length === 0
        ? prospectBlocks(one.now)
        : [table([kindText, { title: 'What would be sent', shrinks: true }], rows)]),
      text('Nothing was sent.'),
    ],
    next: events.length === 0 ? [] : [send],
    data: { shop: domain, kind, id: ids[0], wouldSend: events.length > 0, now: one?.now },
  };
  const plan = { events, shop: domain, kind: kindText, preview };
  if (!one || others.length > 0 || one.outcome === 'applied') return plan;
  if (one.outcome !== 'unchanged') {
    const kind = PROBLEMS[one.outcome];
    const verdict = kind && { kind, what: one.now.summary };
    return verdict ? { ...plan, preview: { ...preview, verdict, blocks: [] } } : plan;
  }
  const compared = judgeSides(await readSides(deployment, services, shop, one.key));
  const what = compared.kind === 'well' ? 'Nothing had to be sent.' : ALREADY;
  const verdict = { kind: compared.kind, what: `${what} ${compared.what}` };
  const anyway = { label: 'Send it anyway', line: lineWith({ force: true }) };
  const mayHelp = compared.kind !== 'well' && !compared.isCancelledThere;
  const next = mayHelp ? [anyway] : [];
  return { ...plan, preview: { ...preview, verdict, next, blocks: [] } };
}

const ALREADY =
  'Nothing was sent, because this state was sent before: only --force sends it again.';

async function foreseeOne(deployment: Deployment, key: EntityKey, options: ResendOptions) {
  const event = resendEvent(key, options);
  const entry = await readEntry(openLedger(deployment), key);
  const prospect = await foresee(event, key, entry, foreseeingDeps(deployment));
  const now = prospectData(prospect, options);
  const outcome = prospect.kind === 'preview' ? prospect.preview.outcome : undefined;
  const isAbsent = !entry && outcome?.kind === 'retry' && outcome.why === 'store-says-gone';
  if (!isAbsent) return { key, event, now, outcome: outcome?.kind ?? prospect.kind };
  const summary = 'Neither the store nor the ledger knows it: there is nothing to send.';
  return { key, event, now: { ...now, summary }, outcome: 'rejected' };
}

/** What would not help, by its prospect or outcome. */
const PROBLEMS: Readonly<Record<string, VerdictKind>> = {
  rejected: 'action required',
  retry: 'waits',
  unknown: 'not known',
};
