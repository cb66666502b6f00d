import type { EntityKey, StoreEvent } from '../../../shared/core/events/event.ts';
import { findEntity, parseKind } from '../ground/compare/find.ts';
import {
  type JudgedSides,
  judgeSides,
  readSides,
  type Sides,
  sidesTable,
} from '../ground/compare/sides.ts';
import { findShop } from '../ground/session/arguments.ts';
import type { Deployment } from '../ground/session/deployment.ts';
import { localUser } from '../ground/session/read-caller.ts';
import { nameKey, openShopServices, readNames, unreadWords } from '../ground/session/services.ts';
import {
  type Change,
  type CommonOptions,
  carryOut,
  type Session,
} from '../ground/session/session.ts';
import { type Document, STATUS, table, text, type Verdict } from '../ground/terminal/document.ts';
import type { ExitCode } from '../ground/terminal/exit.ts';
import { line, type Options } from '../ground/terminal/line.ts';
import { counted } from '../ground/terminal/text.ts';
import { judgeEnded, sendAndFollow } from './follow-letters.ts';

export interface ResendOptions extends CommonOptions {
  readonly force?: boolean;
  readonly newRules?: boolean;
  readonly wait?: boolean;
}

interface Plan {
  readonly preview: Document<object>;
  /** None where nothing has to be sent, or nothing can: then the preview is all there is. */
  readonly events: readonly StoreEvent[];
  readonly shop: string;
  /** `order`, as the command names it. */
  readonly kind: string;
}

/** Preview → ask → send → follow. Repeated after an interruption, it leaves out what was delivered meanwhile. */
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
    act: (change) => sendPlanned(session, deployment, plan, options, change),
  });
}

async function sendPlanned(
  session: Session,
  deployment: Deployment,
  { preview: { title, data }, events, shop, kind }: Plan,
  { wait }: ResendOptions,
  change: Change,
): Promise<Document> {
  const { sent, followed } = await sendAndFollow(session, deployment, events, {
    wait: wait === true,
    onSent: (many) => change.count({ sent: many }),
  });
  if (sent < events.length) {
    const what = `Stopped after ${sent} of ${counted(events.length, kind)}. Repeat the command for the rest.`;
    const verdict = { kind: 'action required', what } as const;
    return { title, verdict, blocks: [], data: { ...data, sent } };
  }
  const [only, ...others] = events;
  const seen =
    only && others.length === 0
      ? { label: 'See what happened', line: line('trace', [kind, only.id], { shop }) }
      : STATUS;
  if (!wait) {
    const queued = `${counted(sent, kind)} put on the queue. To follow, add --wait.`;
    return { title, blocks: [text(queued)], next: [seen], data: { ...data, sent, outcomes: {} } };
  }
  const { verdict, next, outcomes } = judgeEnded(followed);
  return { title, verdict, blocks: [], next: [...next, seen], data: { ...data, sent, outcomes } };
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
  const found: ResendPreview[] = [];
  // One after the other: the loyalty service may allow few calls, and the workers need them.
  for (const id of ids) {
    const key = { shop: domain, kind, id };
    const sides = await readSides(deployment, services, shop, key, options);
    found.push(previewResend(sides, judgeSides(sides), options));
  }
  const events = found.flatMap(({ key, sends }) => (sends ? [resendEvent(key, options)] : []));
  const lineWith = (given: Options) =>
    line('resend', [kindText, ...ids], { shop: domain, wait: true, yes: true, ...given });
  const [one, ...others] = found;
  const many = counted(events.length, kindText);
  const send = {
    label: events.length === 1 ? 'Send it' : `Send ${many}`,
    line: lineWith({ force: options.force, 'new-rules': options.newRules }),
  };
  const rows = found.map(({ key, what }) => [nameOf(key.id), what]);
  const preview = {
    title: `Send ${kindText}${ids.length > 1 ? 's' : ''} ${ids.map(nameOf).join(', ')} of ${domain} again`,
    blocks: [
      ...(one && others.length === 0
        ? [text(one.what), sidesTable(one.judged)]
        : [table([kindText, { title: 'Now', shrinks: true }], rows)]),
    ],
    next: events.length === 0 ? [] : [send],
    data: {
      ...{ shop: domain, kind, id: ids[0], wouldSend: events.length > 0 },
      entities: found.map(({ key: { id }, sends, judged: { finding } }) => ({
        id,
        sends,
        finding,
      })),
    },
  };
  const plan = { events, shop: domain, kind: kindText, preview };
  if (!one || others.length > 0 || one.sends) return plan;
  const { kind: verdict, what, mayBeForced } = one;
  const anyway = { label: 'Send again anyway', line: lineWith({ force: true }) };
  const next = mayBeForced ? [anyway] : [];
  return { ...plan, preview: { ...preview, verdict: { kind: verdict, what }, next, blocks: [] } };
}

const ALREADY = 'Nothing was sent: this state was sent before, and only --force sends it again.';

interface ResendPreview extends Verdict {
  readonly key: EntityKey;
  readonly judged: JudgedSides;
  readonly sends: boolean;
  readonly mayBeForced: boolean;
}

function previewResend(
  { key, store, entry, mapped }: Sides,
  judged: JudgedSides,
  { force, newRules }: ResendOptions,
): ResendPreview {
  const { kind, what } = judged;
  const found = { key, judged, kind, what, sends: false, mayBeForced: false };
  if (store.kind === 'gone' && !entry) {
    const unknown = 'Nothing to send: neither the store nor the ledger has it.';
    return { ...found, kind: 'action required', what: unknown };
  }
  if (store.kind === 'unavailable') {
    return { ...found, what: unreadWords(store) };
  }
  if (mapped?.kind !== 'wanted') return found;
  const isDone = newRules ? judged.sent === 'as-it-is' : judged.isApplied;
  if (force || !isDone) return { ...found, sends: true };
  if (kind === 'ok') return { ...found, what: `Nothing to send. ${what}` };
  return { ...found, what: `${ALREADY} ${what}`, mayBeForced: !judged.isCancelledThere };
}
