import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityKey } from '../../../shared/core/events/event.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { withRewardCodeFirst } from '../../../shared/core/redemptions/reward-codes.ts';
import { type RulesEffect, rulesEffect } from '../../../shared/core/sync/preview-sync.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { type OpenBackfill, openBackfill } from '../backfill/backfill.ts';
import {
  createPace,
  DEFAULT_MOST_WAITING,
  DEFAULT_RATE,
  waitForRoom,
} from '../backfill/run-backfill.ts';
import { checkVisibility } from '../backfill/store-file.ts';
import { rulesOf } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import { type Document, facts, right, table, text } from '../document/document.ts';
import { line } from '../document/line.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/text.ts';
import { resendEvent } from './resend-one.ts';

export interface ResendOptions {
  /** Epoch milliseconds. */
  readonly since: number;
  readonly yes?: boolean;
  readonly shop?: string;
  readonly rate?: number;
}

interface Found extends RulesEffect {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

/** Compare with the rules of today → show the effect → ask → send. */
export async function resendOrders(
  session: Session,
  options: ResendOptions,
): Promise<Document | ExitCode> {
  const deployment = await session.findDeployment();
  const asked = options.yes ? await session.beginChange(deployment) : undefined;
  const open = openBackfill(deployment, options.shop);
  const since = new Date(options.since).toISOString();
  await checkVisibility({ kind: 'orders', since }, open, new Date());
  const { lookedAt, found } = await findEffects(session, open, options.since);
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
