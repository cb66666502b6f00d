import { createHmac } from 'node:crypto';
import {
  Channel,
  Customer,
  Logger,
  Order,
  OrderLine,
  Product,
  ProductVariant,
  Promotion,
  type TransactionalConnection,
} from '@vendure/core';
import { In, LessThan, LessThanOrEqual } from 'typeorm';
import { type EntityKind, explainOutbox, LoyaltyOutbox } from './outbox.ts';

export interface Receiver {
  /** The connector's webhook address with the path of the shop. */
  readonly address: string;
  readonly secret: string;
  /** Its code: what is not in it is not sent. */
  readonly channel?: string | undefined;
}

/** What a row may name, and as what the connector knows it. */
const KINDS = {
  order: { entity: Order, known: 'order' },
  orderLine: { entity: OrderLine, known: 'order' },
  product: { entity: Product, known: 'product' },
  variant: { entity: ProductVariant, known: 'product' },
  promotion: { entity: Promotion, known: 'promotion' },
  customer: { entity: Customer, known: 'customer' },
} as const satisfies Record<LoyaltyOutbox['kind'], { entity: unknown; known: EntityKind }>;

const NAME = 'LoyaltyConnector';
const LOOK_EVERY_MS = 1_000;
const PAGE = 100;
const AT_ONCE = 5;
const REQUEST_MS = 15_000;
/** Longer than one request: another server takes what this one has begun and not finished. */
const LEASE_MS = 30_000;
/** Of one row, and of the sender while nothing is accepted. */
const LONGEST_PAUSE_MS = 600_000;
const LONGEST_OUTAGE_PAUSE_MS = 60_000;
const GIVEN_UP_MS = 7 * 86_400_000;
const FORGOTTEN_MS = 30 * 86_400_000;
const CLEAN_EVERY_MS = 3_600_000;
/** Not among those that are looked through for what is due. */
const OVER = { givenUp: true, nextAt: Number.MAX_SAFE_INTEGER };
/** The connector accepts a signature for five minutes. */
const SKEW_MS = 300_000;

/** Sends what the outbox holds, the oldest first, until it is stopped. What a crash left is sent after the restart. */
export function sendChanges(
  connection: TransactionalConnection,
  receiver: Receiver,
): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  /** Since something was accepted last. */
  let failures = 0;
  let lastWhy: string | undefined;
  let cleanedAt = 0;
  let lastError: string | undefined;
  const rows = () => connection.rawConnection.getRepository(LoyaltyOutbox);

  /** A page of what is due. Says whether more may be. */
  async function sendPage(): Promise<boolean> {
    const due = await rows().find({
      where: { nextAt: LessThanOrEqual(Date.now()), givenUp: false },
      order: { nextAt: 'ASC' },
      take: PAGE,
    });
    const byEntity = new Map<string, LoyaltyOutbox[]>();
    for (const row of await asKnown(due)) {
      const name = `${row.kind}/${row.entityId}`;
      byEntity.set(name, [...(byEntity.get(name) ?? []), row]);
    }
    const entities = [...byEntity.values()];
    while (entities.length > 0) {
      // While nothing is accepted, one request finds out whether it is again.
      const some = entities.splice(0, failures > 0 ? 1 : AT_ONCE);
      const answers = await Promise.all(some.map(sendEntity));
      if (answers.includes('failed')) failures += 1;
      else if (answers.includes('accepted')) endOutage();
      if (stopped || answers.includes('failed')) return false;
    }
    return due.length === PAGE;
  }

  /** Lines as their orders, variants as their products. A row that cannot be looked up waits alone. */
  async function asKnown(due: readonly LoyaltyOutbox[]): Promise<readonly LoyaltyOutbox[]> {
    const known: LoyaltyOutbox[] = [];
    for (const row of due) {
      try {
        const entityId = await knownIdOf(row);
        if (entityId) known.push({ ...row, kind: KINDS[row.kind].known, entityId });
        else await rows().delete({ id: row.id });
      } catch (error) {
        const what = `${row.kind} ${row.entityId} was not looked up: ${explainOutbox(error)}`;
        if (row.attempts === 0) Logger.error(`${what}; it is tried again for a week`, NAME);
        await rows().update({ id: row.id }, { attempts: row.attempts + 1, ...later(row) });
      }
    }
    return known;
  }

  /** What the connector knows it by. Undefined for what is gone, or in other channels only. */
  async function knownIdOf({ kind, entityId, change }: LoyaltyOutbox): Promise<string | undefined> {
    const { entity, known } = KINDS[kind] as { entity: typeof OrderLine; known: 'order' };
    const isPart = kind !== known;
    const { channel: code } = receiver;
    // What is deleted may have left its channels.
    if (change === 'deleted' || (!isPart && !code)) return entityId;
    const place = code ? { channels: { code } } : {};
    const found = await connection.rawConnection.getRepository(entity).findOne({
      where: { id: entityId, ...(isPart ? { [known]: place } : place) },
      relations: isPart ? { [known]: true } : {},
    });
    const whole = (isPart ? found?.[known] : found) as Order | null | undefined;
    // A seller's part stands for the customer's order.
    const id = whole?.aggregateOrderId ?? whole?.id;
    return id === undefined ? undefined : String(id);
  }

  function endOutage(): void {
    if (failures > 0) Logger.info('the connector accepts events again', NAME);
    failures = 0;
    lastWhy = undefined;
  }

  /** One request for all its rows: the connector reads the entity as it is now. */
  async function sendEntity(
    found: readonly LoyaltyOutbox[],
  ): Promise<'accepted' | 'given up' | 'failed' | 'sent by another server'> {
    const taken: LoyaltyOutbox[] = [];
    for (const row of found) {
      // Of several servers, the one whose update counts sends it.
      const { affected } = await rows().update(
        { id: row.id, attempts: row.attempts },
        { attempts: row.attempts + 1, nextAt: Date.now() + LEASE_MS },
      );
      if (affected !== 0) taken.push(row);
    }
    // Under the id that was tried least: the connector ignores one that it has accepted before.
    const [row] = taken.toSorted(
      (one, other) => one.attempts - other.attempts || other.at - one.at,
    );
    if (!row) return 'sent by another server';
    const change = taken.some((one) => one.change === 'deleted') ? 'deleted' : 'changed';
    const { status, why } = await post({ ...row, change }, receiver);
    const ids = In(taken.map(({ id }) => id));
    const what = `${row.kind} ${row.entityId}: ${why}`;
    if (status === 200) {
      await rows().delete({ id: ids });
      return 'accepted';
    }
    if (status === 400) {
      await rows().update({ id: ids }, OVER);
      Logger.error(`${what}; it is given up, and stays in loyalty_outbox for 30 days`, NAME);
      return 'given up';
    }
    await rows().update({ id: ids }, later(row));
    // Another reason is news: a secret may be wrong where the address was before.
    if (why !== lastWhy) Logger.warn(`${what}; it is tried again for a week`, NAME);
    lastWhy = why;
    return 'failed';
  }

  /** The table does not grow for ever where nobody listens. */
  async function clean(): Promise<void> {
    if (Date.now() - cleanedAt < CLEAN_EVERY_MS) return;
    cleanedAt = Date.now();
    const where = { at: LessThan(cleanedAt - GIVEN_UP_MS), givenUp: false };
    const old = await rows().count({ where });
    if (old > 0) {
      await rows().update(where, OVER);
      Logger.error(`${old} changes were not accepted for a week: they are given up`, NAME);
    }
    await rows().delete({ at: LessThan(cleanedAt - FORGOTTEN_MS), givenUp: true });
  }

  /** What is in no channel would be forgotten. */
  async function requireChannel(): Promise<void> {
    const { channel: code } = receiver;
    const found =
      !code || (await connection.rawConnection.getRepository(Channel).countBy({ code }));
    if (!found) throw new Error(`no channel has the code "${code}", the plugin's option`);
  }

  async function look(): Promise<void> {
    try {
      await clean();
      await requireChannel();
      while (!stopped && (await sendPage()));
      lastError = undefined;
    } catch (error) {
      const why = explainOutbox(error);
      if (why !== lastError) Logger.error(`the outbox was not read: ${why}`, NAME);
      lastError = why;
    }
    const pause = Math.min(LOOK_EVERY_MS * 2 ** failures, LONGEST_OUTAGE_PAUSE_MS);
    if (!stopped) timer = setTimeout(start, pause).unref();
  }

  function start(): void {
    running = look();
  }

  start();
  return {
    /** Waits for the requests that are under way. */
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

const later = ({ attempts }: LoyaltyOutbox) => ({
  nextAt: Date.now() + Math.min(2 ** attempts * 1_000, LONGEST_PAUSE_MS),
});

/** Signed anew at each attempt. */
async function post(
  { id, kind, entityId, change, at }: LoyaltyOutbox,
  { address, secret }: Receiver,
): Promise<{ readonly status?: number; readonly why: string }> {
  const body = JSON.stringify({ id, kind, entityId, change, at: new Date(at).toISOString() });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('base64');
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-loyalty-timestamp': timestamp,
        'x-loyalty-signature': signature,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    await answer.body?.cancel();
    const { status } = answer;
    const skew = Date.now() - Date.parse(answer.headers.get('date') ?? '');
    const clock = Math.abs(skew) > SKEW_MS ? ', and the clock of this server is wrong' : '';
    const hint = status === 401 ? ` (wrong secret or address${clock})` : '';
    return { status, why: `the connector answered ${status}${hint}` };
  } catch (error) {
    const { name, cause } = error as Error & { readonly cause?: { readonly code?: string } };
    return { why: `the connector did not answer (${cause?.code ?? name})` };
  }
}
