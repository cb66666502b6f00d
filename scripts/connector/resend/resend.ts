import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EntityKey,
  queueFamilyOf,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import { ledgerKeyText, readEntry } from '../../../shared/core/ledger/ledger.ts';
import { withRewardCodeFirst } from '../../../shared/core/redemptions/reward-codes.ts';
import { type RulesEffect, rulesEffect } from '../../../shared/core/sync/preview-sync.ts';
import { backfillTopicOf } from '../../../shared/shopify/webhooks/topics.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { checkVisibility, type OpenBackfill, openBackfill } from '../backfill/backfill.ts';
import {
  createPace,
  DEFAULT_MOST_WAITING,
  DEFAULT_RATE,
  waitForRoom,
} from '../backfill/run-backfill.ts';
import { followAll } from '../dead-letters/follow.ts';
import { openSourceQueues } from '../dead-letters/read.ts';
import { examiningDeps, foresee, prospectBlocks, prospectData } from '../dead-letters/show.ts';
import { type Deployment, openLedger, rulesOf } from '../deployment/deployment.ts';
import { localUser } from '../deployment/read-caller.ts';
import { openShopServices, orderNames } from '../deployment/services.ts';
import {
  type Document,
  facts,
  right,
  table,
  text,
  type Verdict,
  type VerdictKind,
} from '../document/document.ts';
import { line, type Options } from '../document/line.ts';
import { pauseText, readPauses, resumeSuggestion } from '../pause/read-pauses.ts';
import { readWaiting } from '../pause/waiting-messages.ts';
import { findShop } from '../session/arguments.ts';
import type { CommonOptions, Session } from '../session/session.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../terminal/exit.ts';
import { counted } from '../terminal/text.ts';
import { MOST_WAITS } from '../trace/collect-trace.ts';
import { findEntity, parseKind } from '../trace/find.ts';
import { waitText } from '../trace/judge-trace.ts';

export interface ResendOptions extends CommonOptions {
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly shop?: string;
  readonly rate?: number;
  readonly force?: boolean;
  readonly wait?: boolean;
  readonly yes?: boolean;
}

/** One entity, or the orders that the rules of today change. */
export async function resend(
  session: Session,
  options: ResendOptions,
  kind?: string,
  id?: string,
): Promise<Document | ExitCode> {
  const { since } = options;
  if (kind !== undefined && id !== undefined && since === undefined) {
    return resendOne(session, options, kind, id);
  }
  if (kind !== undefined || since === undefined) {
    throw new BadArguments('give either a kind and an id, or --since.');
  }
  return resendOrders(session, options, since);
}

/** Foresee what the worker would do → show it → ask → send → follow. */
async function resendOne(
  session: Session,
  options: ResendOptions,
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
    const sends = lineWith({ force: options.force, wait: true, yes: true });
    session.show({
      title,
      blocks: [
        ...prospectBlocks(now),
        ...(wait ? [text(`Before it, ${waitText(wait)}.`)] : []),
        text('Nothing was sent.'),
      ],
      next: [{ label: 'Send it', line: sends }, ...(wait ? [wake] : [])],
      data: { ...data, sent: 0 },
    });
    if (!(await session.terminal.confirm('Send it?'))) return EXIT.fine;
  }
  const change = await session.beginChange(deployment, 'change', key);
  await openSourceQueues(deployment, [queueFamilyOf(kind)]).queue.send(event);
  change.count({ sent: 1 });
  const pause = options.wait ? await pauseOf(deployment, key) : undefined;
  if (pause) {
    const what = `It is on the queue, and goes on when the pause ends. ${pauseText(pause)}.`;
    const next = [resumeSuggestion(pause)];
    return {
      title,
      verdict: { kind: 'waits', what },
      blocks: [],
      next,
      data: { ...data, sent: 1 },
    };
  }
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
function resendEvent(key: EntityKey, now: Date): StoreEvent {
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
  obstacle: 'action required',
  unknown: 'not known',
};

/** Nobody should wait for what only a person ends. */
async function pauseOf(deployment: Deployment, { shop, kind }: EntityKey) {
  const pauses = await readPauses(openLedger(deployment), [{ domain: shop }], new Date());
  const parts = ['all', queueFamilyOf(kind)];
  return pauses.find((one) => one.by === 'operator' && parts.includes(one.part));
}

async function follow(
  session: Session,
  deployment: Deployment,
  key: EntityKey,
  { receivedAt: at }: StoreEvent,
): Promise<string> {
  const signal = session.interruption('Following no longer; the message is on the queue.');
  const sent = [{ family: queueFamilyOf(key.kind), key, ...key, at }];
  const [followed] = await followAll(session, deployment, sent, signal);
  return followed?.result ?? '';
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

interface Found extends RulesEffect {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

/** Compare with the rules of today → show the effect → ask → send. */
async function resendOrders(
  session: Session,
  options: ResendOptions,
  placedSince: number,
): Promise<Document | ExitCode> {
  const deployment = await session.findDeployment();
  const asked = options.yes ? await session.beginChange(deployment) : undefined;
  const open = openBackfill(deployment, options.shop);
  const since = new Date(placedSince).toISOString();
  await checkVisibility({ kind: 'orders', since }, open, new Date());
  const { lookedAt, found } = await findEffects(session, open, placedSince);
  const summary = summaryOf(open.shop.domain, since, lookedAt, found);
  if (!asked || found.length === 0) {
    session.show(previewOf(summary, found, options));
    if (found.length === 0) return EXIT.fine;
    const question = `Send ${counted(found.length, 'order')} by these rules?`;
    if (!(await session.terminal.confirm(question))) return EXIT.fine;
  }
  const change = asked ?? (await session.beginChange(deployment));
  const sent = await send(session, open, found, {
    rate: options.rate ?? DEFAULT_RATE,
    onSent: (count) => change.count({ sent: count }),
  });
  const rest = 'It was stopped. Repeat the command for the rest.';
  return {
    title: titleOf(summary),
    ...(sent < found.length && { verdict: { kind: 'action required', what: rest } }),
    blocks: [
      text(`${sent} of ${counted(found.length, 'order')} are on the queue, and the workers go on.`),
    ],
    next: [{ label: 'See how far the workers are', line: line('status') }],
    data: { ...summary, sent },
  };
}

const titleOf = ({ shop, since }: ReturnType<typeof summaryOf>) =>
  `Orders of ${shop} placed since ${since}, by the rules of today`;

const MOST_SHOWN = 20;

function previewOf(
  summary: ReturnType<typeof summaryOf>,
  found: readonly Found[],
  { rate }: ResendOptions,
): Document {
  const { shop, since, lookedAt, changed, lower, higher, before, after } = summary;
  const shown = found.slice(0, MOST_SHOWN);
  const sends = line('resend', [], { shop, since, rate, yes: true });
  return {
    title: titleOf(summary),
    blocks: [
      facts([
        ['Compared', counted(lookedAt, 'order')],
        ['Would change', `${changed}: ${lower} earn less, ${higher} earn more`],
        ['Amounts', `${before.toFixed(2)} before, ${after.toFixed(2)} after`],
      ]),
      table(
        ['Order', right('Before'), right('After')],
        shown.map((one) => [
          { text: one.name, opens: line('trace', ['order', one.id], { shop }) },
          one.before.toFixed(2),
          one.after.toFixed(2),
        ]),
        { empty: 'Nothing would be sent: the rules of today change none of them.' },
      ),
      ...(changed > shown.length ? [text(`And ${changed - shown.length} more.`, 'soft')] : []),
      ...(changed > 0 ? [text('Nothing was sent.')] : []),
    ],
    next: changed === 0 ? [] : [{ label: `Send ${counted(changed, 'order')}`, line: sends }],
    data: { ...summary, orders: found, sent: 0 },
  };
}

/** What was placed since has changed since, so the scan over changes finds it. */
async function findEffects(
  session: Session,
  { deployment, shop, ledger }: OpenBackfill,
  since: number,
): Promise<{ readonly lookedAt: number; readonly found: readonly Found[] }> {
  const { store } = openShopServices(deployment);
  const rules = await rulesOf(shop, ledger);
  const span = { from: since, until: Date.now() };
  const signal = session.interruption();
  const progress = session.terminal.progress('Comparing orders:');
  const found: Found[] = [];
  let lookedAt = 0;
  let after: string | undefined;
  try {
    do {
      const page = await store.changedOrders(shop.domain, span, after);
      if (page.kind === 'unavailable') {
        throw new Problem(`The store did not answer (${page.why}).`, 'Repeat the command.');
      }
      const orders = page.value.changed.flatMap(({ value }) =>
        value && Date.parse(value.placedAt) >= since ? [value] : [],
      );
      found.push(...(await effectsOf(orders)));
      lookedAt += orders.length;
      progress.report(lookedAt);
      after = page.value.next;
    } while (after !== undefined && !signal.aborted);
  } finally {
    progress.end();
  }
  if (signal.aborted) throw new Problem('Interrupted.', 'Nothing was sent. Repeat the command.');
  return { lookedAt, found };

  async function effectsOf(orders: readonly StoreOrder[]): Promise<readonly Found[]> {
    const keyOf = ({ id }: StoreOrder): EntityKey => ({ shop: shop.domain, kind: 'order', id });
    const entries = await ledger.readMany(orders.map(keyOf));
    const effects = orders.map(async (read): Promise<readonly Found[]> => {
      const asSent = await withRewardCodeFirst(shop.domain, { kind: 'order', order: read }, ledger);
      const order = asSent.kind === 'order' ? asSent.order : read;
      const key = keyOf(order);
      const effect = rulesEffect(key, order, entries.get(ledgerKeyText(key)), rules, new Date());
      const { id, name = id, updatedAt } = order;
      return effect ? [{ id, name, version: Date.parse(updatedAt), ...effect }] : [];
    });
    return (await Promise.all(effects)).flat();
  }
}

function summaryOf(shop: string, since: string, lookedAt: number, found: readonly Found[]) {
  const sum = (pick: (one: Found) => number) =>
    Math.round(found.reduce((total, one) => total + pick(one), 0) * 1000) / 1000;
  const [before, after] = [sum((one) => one.before), sum((one) => one.after)];
  const lower = found.filter((one) => one.after < one.before).length;
  const higher = found.filter((one) => one.after > one.before).length;
  return { shop, since, lookedAt, changed: found.length, lower, higher, before, after };
}

export async function send(
  session: Pick<Session, 'interruption' | 'terminal'>,
  { shop, queue, depth }: Pick<OpenBackfill, 'shop' | 'queue' | 'depth'>,
  found: readonly Found[],
  { rate, onSent }: { readonly rate: number; readonly onSent: (sent: number) => void },
): Promise<number> {
  const pace = createPace(rate);
  const signal = session.interruption();
  const room = { depth, mostWaiting: DEFAULT_MOST_WAITING, pause: sleep, signal };
  const progress = session.terminal.progress('Sending orders:', found.length);
  let sent = 0;
  try {
    while (sent < found.length && !signal.aborted) {
      await waitForRoom('orders', room, () => {});
      if (signal.aborted) break;
      const window = found.slice(sent, sent + pace.window);
      await sleep(pace.before(window.length, Date.now()));
      const refused = await queue.sendAll(
        window.map(({ id, version, wantedKey }) => ({
          ...resendEvent({ shop: shop.domain, kind: 'order', id }, new Date()),
          deliveryId: `resend/${id}/${version}/${wantedKey.slice(0, 16)}`,
          newRules: true,
        })),
      );
      if (refused.length > 0) {
        const codes = [...new Set(refused.map(({ code }) => code))].join(', ');
        throw new Problem(
          `SQS did not take ${refused.length} of ${window.length} messages (${codes}).`,
          'Repeat the command: it leaves out the orders that were counted meanwhile.',
        );
      }
      sent += window.length;
      onSent(sent);
      progress.report(sent);
    }
  } finally {
    progress.end();
  }
  return sent;
}
