import { versionOf } from '../../../shared/core/sync/read-snapshot.ts';
import type { Trace } from './trace-model.ts';

export interface TimelineLine {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly who: 'store' | 'ledger' | 'dead letter';
  readonly what: string;
}

/** What happened, the oldest first. */
export function timelineOf({ entry, letters, store }: Trace): readonly TimelineLine[] {
  const lines: TimelineLine[] = [];
  const add = (at: number, who: TimelineLine['who'], what: string) => lines.push({ at, who, what });
  for (const { at, outcome, version, topic, why } of entry?.outcomes ?? []) {
    const of = version > 0 ? `, the state of ${momentText(version)}` : '';
    add(Date.parse(at), 'ledger', [outcome, topic, why].filter(Boolean).join(', ') + of);
  }
  for (const { at, reason, code, attempts, event, messageId } of letters) {
    if (event) add(Date.parse(event.receivedAt), 'dead letter', `received, ${event.topic}`);
    for (const replay of event?.replays ?? []) {
      add(Date.parse(replay.at), 'dead letter', `replayed by ${replay.by}`);
    }
    const tries = attempts ? `, attempt ${attempts}` : '';
    const reasons = [reason, code].filter(Boolean).join(' ');
    add(at, 'dead letter', `given up: ${reasons}${tries} (${messageId})`);
  }
  if (store.kind === 'found') add(versionOf(store.value), 'store', 'changed last');
  return lines.toSorted((one, other) => one.at - other.at);
}

/** To the second, in UTC: the store counts in seconds. */
export function momentText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')}`;
}
