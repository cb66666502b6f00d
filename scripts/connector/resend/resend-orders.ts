import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityKey, StoreEvent } from '../../../shared/core/events/event.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { withRewardCodeFirst } from '../../../shared/core/redemptions/reward-codes.ts';
import { type RulesEffect, rulesEffect } from '../../../shared/core/sync/preview-sync.ts';
import { backfillTopicOf } from '../../../shared/shopify/webhooks/topics.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { type OpenBackfill, openBackfill } from '../backfill/backfill.ts';
import { createPace, DEFAULT_MOST_WAITING, DEFAULT_RATE } from '../backfill/run-backfill.ts';
import { checkVisibility } from '../backfill/store-file.ts';
import { nextCommand, rulesOf } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';

export interface ResendOptions {
  /** Epoch milliseconds. */
  readonly since: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly shop?: string;
  readonly rate?: number;
}

interface Found extends RulesEffect {
  readonly id: string;
  readonly version: number;
}

const LOOK_AGAIN_MS = 2_000;

/** Compare with the rules of today → show the effect → ask → send. */
export async function resendOrders(session: Session, options: ResendOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const deployment = await session.findDeployment();
  if (options.yes && !options.dryRun) await session.beginChange(deployment);
  const open = openBackfill(deployment, options.shop);
  const since = new Date(options.since).toISOString();
  await checkVisibility({ kind: 'orders', since }, open, new Date());
  const { lookedAt, found } = await findEffects(session, open, options.since);
  const summary = summaryOf(open.shop.domain, since, lookedAt, found);
  if (json && options.dryRun) terminal.json({ ...summary, dryRun: true, orders: found });
  if (!json) printSummary(session, summary);
  if (options.dryRun || found.length === 0) {
    if (json && !options.dryRun) terminal.json({ ...summary, sent: 0 });
    else if (!json) terminal.line('Nothing was sent.');
    return EXIT.fine;
  }
  if (!options.yes && !(await terminal.confirm(`Send ${found.length} orders by these rules?`))) {
    terminal.note('Nothing was sent. Type "yes" to agree, or use --yes in a script.');
    return EXIT.failed;
  }
  const change = await session.beginChange(deployment);
  const sent = await send(session, open, found, {
    rate: options.rate ?? DEFAULT_RATE,
    onSent: (count) => change.count({ sent: count }),
  });
  if (json) terminal.json({ ...summary, sent });
  else {
    terminal.line(
      `Sent ${sent} of ${found.length}. The workers count them now. To see the outcome:`,
    );
    terminal.line(`  ${nextCommand(deployment, 'status')}`);
  }
  return sent === found.length ? EXIT.fine : EXIT.interrupted;
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
      return effect ? [{ id: order.id, version: Date.parse(order.updatedAt), ...effect }] : [];
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

function printSummary({ terminal }: Session, summary: ReturnType<typeof summaryOf>): void {
  const { shop, since, lookedAt, changed, lower, higher, before, after } = summary;
  terminal.line(`${lookedAt} orders of ${shop} placed since ${since}.`);
  terminal.line(
    `By the rules of today ${changed} change: ${lower} earn less, ${higher} earn more.`,
  );
  terminal.line(`Their amounts: ${before.toFixed(2)} before, ${after.toFixed(2)} after.`);
}

export async function send(
  session: Pick<Session, 'interruption' | 'terminal'>,
  { shop, queue, depth }: Pick<OpenBackfill, 'shop' | 'queue' | 'depth'>,
  found: readonly Found[],
  { rate, onSent }: { readonly rate: number; readonly onSent: (sent: number) => void },
): Promise<number> {
  const pace = createPace(rate);
  const signal = session.interruption();
  const progress = session.terminal.progress('Sending orders:', found.length);
  let sent = 0;
  try {
    while (sent < found.length && !signal.aborted) {
      const { ready, hidden } = await depth.of('orders');
      if (ready + hidden > DEFAULT_MOST_WAITING) {
        await sleep(LOOK_AGAIN_MS);
        continue;
      }
      const window = found.slice(sent, sent + pace.window);
      await sleep(pace.before(window.length, Date.now()));
      const refused = await queue.sendAll(window.map((one) => toEvent(shop.domain, one)));
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

/** Without a body: the worker reads the order as it is then. */
function toEvent(shop: string, { id, version, wantedKey }: Found): StoreEvent {
  return {
    shop,
    kind: 'order',
    id,
    claim: 'changed',
    origin: 'backfill',
    topic: backfillTopicOf('order'),
    deliveryId: `resend/${id}/${version}/${wantedKey.slice(0, 16)}`,
    receivedAt: new Date().toISOString(),
    newRules: true,
    body: undefined,
  };
}
