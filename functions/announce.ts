import { createDynamoDbCalls, createEventsCalls, WORKER_BUDGET } from '../shared/aws/aws-client.ts';
import { readLetters } from '../shared/aws/read-ledger.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import { createCallRate } from '../shared/core/calls/rate-limit.ts';
import { type Announcement, announce } from '../shared/core/reconcile/announce.ts';
import { openWithLedger, withTelemetry } from './wiring.ts';

/** The most that EventBridge takes at once. */
const MOST_AT_ONCE = 10;

/** Runs on a schedule, where the settings have `events`. */
export function createAnnouncer(connector: Connector) {
  const names = ['EVENT_BUS', 'STACK_NAME'] as const;
  const budget = WORKER_BUDGET;
  const opened = openWithLedger(connector, 'announce', names, budget, createCallRate);
  const { environment, aws, telemetry, ledger } = opened;
  const client = createDynamoDbCalls(aws);
  const events = createEventsCalls(aws);
  const { EVENT_BUS: EventBusName, STACK_NAME: stack, LEDGER_TABLE: table } = environment;

  async function send(all: readonly Announcement[]): Promise<void> {
    for (let from = 0; from < all.length; from += MOST_AT_ONCE) {
      const Entries = all.slice(from, from + MOST_AT_ONCE).map(({ type, detail }) => ({
        ...{ Source: 'loyalty-connector', DetailType: type, EventBusName },
        Detail: JSON.stringify({ ...detail, stack }),
      }));
      const { FailedEntryCount: failed } = await events.putEvents({ Entries });
      if (failed) throw new Error(`EventBridge refused ${failed} of ${Entries.length} events`);
    }
    for (const { type, detail } of all) {
      telemetry.log('info', 'announced', { type, shop: String(detail.shop ?? '') });
    }
  }

  const shops = connector.shops.map(({ domain }) => domain);
  return withTelemetry(telemetry, async () => {
    const now = new Date();
    const letters = () => readLetters({ client, table }, { since: 0, now });
    await announce(shops, { ledger, readLetters: letters, send, now: () => now });
  });
}
