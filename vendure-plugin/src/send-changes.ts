import { createHmac } from 'node:crypto';
import { Logger, type TransactionalConnection } from '@vendure/core';
import { LessThanOrEqual } from 'typeorm';
import { LoyaltyOutbox } from './outbox.ts';

export interface Receiver {
  /** The connector's webhook address with the path of the shop. */
  readonly address: string;
  readonly secret: string;
}

const NAME = 'LoyaltyConnector';
const LOOK_EVERY_MS = 1_000;
const AT_ONCE = 50;
/** Longer than one request: another server takes what this one has begun and not finished. */
const LEASE_MS = 60_000;
const REQUEST_MS = 15_000;
const LONGEST_PAUSE_MS = 600_000;
const GIVEN_UP_MS = 7 * 86_400_000;

/** Sends what the outbox holds, the oldest first, until it is stopped. What a crash left is sent after the restart. */
export function sendChanges(
  connection: TransactionalConnection,
  receiver: Receiver,
): { stop(): void } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const rows = () => connection.rawConnection.getRepository(LoyaltyOutbox);

  async function sendDue(): Promise<void> {
    const now = Date.now();
    const due = await rows().find({
      where: { nextAt: LessThanOrEqual(now), givenUp: false },
      order: { nextAt: 'ASC' },
      take: AT_ONCE,
    });
    for (const row of due) {
      if (stopped) return;
      // Of several servers, the one whose update counts sends it.
      const { affected } = await rows().update(
        { id: row.id, attempts: row.attempts },
        { attempts: row.attempts + 1, nextAt: now + LEASE_MS },
      );
      if (affected !== 0) await send(row);
    }
  }

  async function send(row: LoyaltyOutbox): Promise<void> {
    const status = await post(row, receiver);
    if (status === 200) {
      await rows().delete({ id: row.id });
      return;
    }
    // It will never be accepted, or not for a week.
    const isOver = status === 400 || Date.now() - row.at > GIVEN_UP_MS;
    const pause = Math.min(2 ** row.attempts * 1_000, LONGEST_PAUSE_MS);
    await rows().update({ id: row.id }, { nextAt: Date.now() + pause, givenUp: isOver });
    const what = `${row.kind} ${row.entityId}: the connector answered ${status}`;
    if (isOver) Logger.error(`${what}; it is given up, and stays in loyalty_outbox`, NAME);
    else if (row.attempts === 0) Logger.warn(`${what}; it is tried again`, NAME);
  }

  async function look(): Promise<void> {
    try {
      await sendDue();
    } catch (error) {
      Logger.error(
        `the outbox was not read: ${error instanceof Error ? error.message : error}`,
        NAME,
      );
    }
    if (!stopped) timer = setTimeout(() => void look(), LOOK_EVERY_MS);
    timer?.unref();
  }

  void look();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Signed anew at each attempt: the connector accepts a signature for five minutes. */
async function post(
  { id, kind, entityId, change, at }: LoyaltyOutbox,
  { address, secret }: Receiver,
): Promise<number | string> {
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
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch (error) {
    return error instanceof Error ? error.name : 'nothing';
  }
}
