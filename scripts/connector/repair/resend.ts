import { setTimeout as sleep } from 'node:timers/promises';
import type { MappingRules } from '../../../shared/config/mapping-settings.ts';
import {
  type EntityKey,
  queueFamilyOf,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import { isKnown } from '../../../shared/core/ledger/entry.ts';
import {
  type EntityEntry,
  fromThousandths,
  ledgerKeyText,
  ownCount,
  readEntry,
} from '../../../shared/core/ledger/ledger.ts';
import { mapSnapshot } from '../../../shared/core/mapping/map-snapshot.ts';
import {
  hasOtherRules,
  idempotencyKey,
  type OrderForm,
} from '../../../shared/core/mapping/wanted-state.ts';
import { workerRewards } from '../../../shared/services/rewards.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { changedOrders, findEntity, parseKind } from '../ground/compare/find.ts';
import {
  checkVisibility,
  createPace,
  DEFAULT_MOST_WAITING,
  DEFAULT_RATE,
  sendAtPace,
} from '../ground/compare/send.ts';
import { judgeSides, readSides } from '../ground/compare/sides.ts';
import { examiningDeps, foresee, prospectBlocks, prospectData } from '../ground/letters/foresee.ts';
import { findShop } from '../ground/session/arguments.ts';
import { type Deployment, openLedger, rulesOf } from '../ground/session/deployment.ts';
import { openSourceQueues } from '../ground/session/queues.ts';
import { localUser } from '../ground/session/read-caller.ts';
import { nameKey, openShopServices, readNames } from '../ground/session/services.ts';
import {
  type Change,
  type CommonOptions,
  carryOut,
  type Session,
} from '../ground/session/session.ts';
import {
  type Document,
  facts,
  right,
  table,
  text,
  type VerdictKind,
} from '../ground/terminal/document.ts';
import { BadArguments, type ExitCode, Problem } from '../ground/terminal/exit.ts';
import { line, type Options } from '../ground/terminal/line.ts';
import { counted } from '../ground/terminal/text.ts';
import { followAll, judgeEnded } from './follow-letters.ts';

export interface ResendOptions extends CommonOptions {
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly shop?: string;
  readonly rate?: number;
  readonly force?: boolean;
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

/** Foresee what the workers would do → show it → ask → send → follow. */
export async function resend(
  session: Session,
  options: ResendOptions,
  kind?: string,
  ...ids: readonly string[]
): Promise<Document | ExitCode> {
  const { since } = options;
  if (ids.length > 0 === (since !== undefined) || (kind && ids.length === 0)) {
    throw new BadArguments('give either a kind and an id, or --since.');
  }
  const deployment = await session.findDeployment();
  const plan =
    ids.length > 0
      ? await planNamed(deployment, options, kind ?? '', ids)
      : await planByRules(session, deployment, options, since ?? 0);
  const { preview, events, shop } = plan;
  const [first] = events;
  return carryOut(session, deployment, options.yes, {
    preview: () => ({ ...preview, data: { ...preview.data, sent: 0 } }),
    question: first && `Send ${counted(events.length, plan.kind)}?`,
    ...(ids.length > 0 &&
      first && { about: { shop, kind: first.kind, id: events.map(({ id }) => id).join(' ') } }),
    act: (change) => sendAndFollow(session, deployment, plan, options, change),
  });
}

async function sendAndFollow(
  session: Session,
  deployment: Deployment,
  { preview: { title, data }, events, shop, kind }: Plan,
  { rate = DEFAULT_RATE, wait }: ResendOptions,
  change: Change,
): Promise<Document> {
  const family = queueFamilyOf(events[0]?.kind ?? 'order');
  const signal = session.interruption();
  const progress = session.terminal.progress('Sending:', events.length);
  const sent = await sendAtPace(events, family, async (window) => window, {
    ...openSourceQueues(deployment, [family]),
    ...{ pace: createPace(rate), mostWaiting: DEFAULT_MOST_WAITING, signal },
    now: () => new Date(),
    pause: (ms) => sleep(ms, undefined, { signal }).catch(() => undefined),
    onProgress(many) {
      change.count({ sent: many });
      progress.report(many);
    },
  }).finally(() => progress.end());
  if (sent < events.length) {
    const what = `It was stopped after ${sent} of ${counted(events.length, kind)}. Repeat the command for the rest.`;
    return {
      title,
      verdict: { kind: 'action required', what },
      blocks: [],
      data: { ...data, sent },
    };
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
function resendEvent(key: EntityKey, now: Date): StoreEvent {
  const at = now.toISOString();
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
    line: lineWith({ force: options.force }),
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
  const event = { ...resendEvent(key, new Date()), ...(options.force && { force: true }) };
  const entry = await readEntry(openLedger(deployment), key);
  const prospect = await foresee(event, key, entry, examiningDeps(deployment));
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
  obstacle: 'action required',
  unknown: 'not known',
};

interface Found extends RulesEffect {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

const MOST_SHOWN = 20;

/** The orders that count differently by the rules of today. */
async function planByRules(
  session: Session,
  deployment: Deployment,
  { shop: named, rate }: ResendOptions,
  placedSince: number,
): Promise<Plan> {
  const shop = findShop(deployment.connector, named);
  const since = new Date(placedSince).toISOString();
  const { store } = openShopServices(deployment);
  await checkVisibility({ kind: 'orders', since }, { store, shop }, new Date());
  const { lookedAt, found } = await findEffects(session, deployment, shop, placedSince);
  const sum = (pick: (one: Found) => number) =>
    Math.round(found.reduce((total, one) => total + pick(one), 0) * 1000) / 1000;
  const [before, after] = [sum((one) => one.before), sum((one) => one.after)];
  const lower = found.filter((one) => one.after < one.before).length;
  const higher = found.filter((one) => one.after > one.before).length;
  const more = found.length - MOST_SHOWN;
  const { domain } = shop;
  const many = counted(found.length, 'order');
  const sends = line('resend', [], { shop: domain, since, rate, yes: true });
  const preview = {
    title: `Orders of ${domain} placed since ${since}, by the rules of today`,
    blocks: [
      facts([
        ['Compared', counted(lookedAt, 'order')],
        ['Would change', `${found.length}: ${lower} earn less, ${higher} earn more`],
        ['Amounts', `${before.toFixed(2)} before, ${after.toFixed(2)} after`],
      ]),
      table(
        ['Order', right('Before'), right('After')],
        found
          .slice(0, MOST_SHOWN)
          .map((one) => [
            { text: one.name, opens: line('trace', ['order', one.id], { shop: domain }) },
            one.before.toFixed(2),
            one.after.toFixed(2),
          ]),
        { empty: 'The rules of today change none of them.' },
      ),
      ...(more > 0 ? [text(`And ${more} more.`, 'soft')] : []),
      text('Nothing was sent.'),
    ],
    next: found.length === 0 ? [] : [{ label: `Send ${many}`, line: sends }],
    data: {
      ...{ shop: domain, since, lookedAt, changed: found.length, lower, higher },
      ...{ before, after, orders: found },
    },
  };
  const events = found.map(({ id, version, wantedKey }) => ({
    ...resendEvent({ shop: domain, kind: 'order', id }, new Date()),
    deliveryId: `resend/${id}/${version}/${wantedKey.slice(0, 16)}`,
    newRules: true,
  }));
  return { events, shop: domain, kind: 'order', preview };
}

/** What was placed since has changed since, so the scan over changes finds it. */
async function findEffects(
  session: Session,
  deployment: Deployment,
  shop: ReturnType<typeof findShop>,
  since: number,
): Promise<{ readonly lookedAt: number; readonly found: readonly Found[] }> {
  const { store } = openShopServices(deployment);
  const ledger = openLedger(deployment);
  const rules = await rulesOf(shop, ledger);
  const rewards = workerRewards(deployment.connector);
  const signal = session.interruption();
  const progress = session.terminal.progress('Comparing orders:');
  const found: Found[] = [];
  let lookedAt = 0;
  for await (const changed of changedOrders(store, shop.domain, since, signal)) {
    const orders = changed.flatMap(({ value }) =>
      value && Date.parse(value.placedAt) >= since ? [value] : [],
    );
    found.push(...(await effectsOf(orders)));
    lookedAt += orders.length;
    progress.report(lookedAt);
  }
  progress.end();
  if (signal.aborted) throw new Problem('Interrupted.', 'Nothing was sent. Repeat the command.');
  return { lookedAt, found };

  async function effectsOf(orders: readonly StoreOrder[]): Promise<readonly Found[]> {
    const keyOf = ({ id }: StoreOrder): EntityKey => ({ shop: shop.domain, kind: 'order', id });
    const entries = await ledger.readMany(orders.map(keyOf));
    const effects = orders.map(async (read): Promise<readonly Found[]> => {
      const entity = { kind: 'order', order: read } as const;
      const { order } = (await rewards?.orderAsSent(shop.domain, entity, ledger)) ?? entity;
      const key = keyOf(order);
      const effect = rulesEffect(key, order, entries.get(ledgerKeyText(key)), rules, new Date());
      const { id, name = id, updatedAt } = order;
      return effect ? [{ id, name, version: Date.parse(updatedAt), ...effect }] : [];
    });
    return (await Promise.all(effects)).flat();
  }
}

/** What counting one order by the rules of today changes: amounts that earn points. */
interface RulesEffect {
  readonly before: number;
  readonly after: number;
  readonly wantedKey: string;
}

/** Undefined for an order that was never sent, is cancelled, or is counted by the rules of today already. */
export function rulesEffect(
  key: EntityKey,
  order: StoreOrder,
  entry: EntityEntry | undefined,
  rules: MappingRules,
  now: Date,
): RulesEffect | undefined {
  if (!isKnown(entry)) return undefined;
  const snapshot = {
    kind: 'snapshot',
    entity: { kind: 'order', order },
    version: Date.parse(order.updatedAt),
    source: 'store',
    newRules: true,
  } as const;
  const mapped = mapSnapshot(key, snapshot, entry, rules, now);
  if (mapped.kind !== 'wanted' || mapped.wanted.kind !== 'order') return undefined;
  const wantedKey = idempotencyKey(mapped.wanted);
  const [before, after] = [earnedBy(entry), earned(mapped.wanted.order)];
  const isSame =
    before === after && (wantedKey === entry.appliedKey || !hasOtherRules(mapped, entry));
  return isSame ? undefined : { before, after, wantedKey };
}

function earnedBy({ service }: EntityEntry): number {
  return service?.completedAt === undefined ? 0 : fromThousandths(ownCount(service));
}

const earned = ({ IsCompleted, OrderTotal = 0 }: OrderForm): number =>
  IsCompleted === true ? OrderTotal : 0;
