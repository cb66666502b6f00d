import type { StoreEntity } from '../../../shared/core/store/store.ts';
import { versionOf } from '../../../shared/core/sync/read-snapshot.ts';
import { FOR_WHAT } from '../status/judge-waiting.ts';
import type { Trace } from './collect-trace.ts';

export interface TimelineLine {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly who: 'store' | 'queue' | 'ledger' | 'dead letter' | 'loyalty service';
  readonly event: TimelineEvent;
  /** The event with its details, in words. */
  readonly what: string;
  /** What the name of the event does not say. */
  readonly detail?: string;
  /** Of `outcome`: as the ledger names it. */
  readonly outcome?: string;
  /** Of `given-up`, `outcome` and `next-try`: the name of the reason. */
  readonly reason?: string;
}

type TimelineEvent =
  | 'created'
  | 'changed'
  | 'fulfilled'
  | 'refunded'
  | 'cancelled'
  | 'webhook-sent'
  | 'received'
  | 'outcome'
  | 'waits'
  | 'next-try'
  | 'given-up'
  | 'replayed'
  | 'points-given';

/** Every known moment, the oldest first. The next attempt is in the future. */
export function timelineOf(trace: Trace): readonly TimelineLine[] {
  return [
    ...inStore(trace.store),
    ...onQueue(trace.waits),
    ...inLedger(trace.entry),
    ...amongLetters(trace.letters),
    ...inService(trace.serviceOrder),
  ]
    .filter(({ at }) => Number.isFinite(at))
    .toSorted((one, other) => one.at - other.at);
}

function inStore(store: Trace['store']): readonly TimelineLine[] {
  if (store.kind !== 'found') return [];
  const line = (event: TimelineEvent, what: string, at: string | undefined) =>
    at === undefined ? [] : [{ at: Date.parse(at), who: 'store', event, what } as const];
  const known = [
    ...line('created', store.value.kind === 'order' ? 'placed' : 'created', createdAt(store.value)),
    ...(store.value.kind === 'order'
      ? [
          ...line('fulfilled', 'fulfilled', store.value.order.fulfilledAt),
          ...line('refunded', 'refunded', store.value.order.refundedAt),
          ...line('cancelled', 'cancelled', store.value.order.cancelledAt),
        ]
      : []),
  ];
  const changed = { at: versionOf(store.value), who: 'store', event: 'changed' } as const;
  // The last change is most often one that has a line of its own.
  const isKnown = known.some(({ at }) => Math.abs(at - changed.at) < 1_000);
  return isKnown ? known : [...known, { ...changed, what: 'changed last' }];
}

function createdAt(entity: StoreEntity): string | undefined {
  switch (entity.kind) {
    case 'order':
      return entity.order.placedAt;
    case 'coupon':
      return entity.coupon.createdAt;
    case 'member':
      return entity.member.createdAt;
    case 'product':
      return undefined;
  }
}

function onQueue(waits: Trace['waits']): readonly TimelineLine[] {
  return waits.flatMap(({ since, until, waitsFor, why }) => {
    const detail = `${FOR_WHAT[waitsFor]} (${why})`;
    return [
      { at: since, who: 'queue', event: 'waits', what: `waits ${detail}`, detail },
      { at: until, who: 'queue', event: 'next-try', what: 'the next attempt', reason: why },
    ];
  });
}

function inLedger(entry: Trace['entry']): readonly TimelineLine[] {
  return (entry?.outcomes ?? []).map(({ at, outcome, version, topic, why, origin }) => {
    const state = version > 0 && `the state of ${momentText(version)}`;
    const parts = [topic, why, state, origin && 'found by reconciliation'];
    const detail = parts.filter(Boolean).join(', ');
    const what = [outcome, detail].filter(Boolean).join(', ');
    return {
      ...{ at: Date.parse(at), who: 'ledger', event: 'outcome', what, detail, outcome },
      ...(why && { reason: why }),
    };
  });
}

function amongLetters(letters: Trace['letters']): readonly TimelineLine[] {
  const who = 'dead letter';
  return letters.flatMap(({ at, reason, code, attempts, event, letterId }) => {
    const sentAt = event?.triggeredAt;
    const tries = attempts ? `, attempt ${attempts}` : '';
    const reasons = [reason, code].filter(Boolean).join(' ');
    const detail = `${reasons}${tries} (${letterId})`;
    const what = `given up: ${detail}`;
    const lines: TimelineLine[] = [{ at, who, event: 'given-up', what, detail, reason }];
    if (!event) return lines;
    const { topic } = event;
    if (sentAt !== undefined) {
      const sent = { at: Date.parse(sentAt), who: 'store', event: 'webhook-sent' } as const;
      lines.push({ ...sent, what: `sent the webhook, ${topic}`, detail: topic });
    }
    const receivedAt = Date.parse(event.receivedAt);
    const received = { at: receivedAt, who: 'queue', event: 'received' } as const;
    lines.push({ ...received, what: `received, ${topic}`, detail: topic });
    for (const replay of event.replays ?? []) {
      const again = { at: Date.parse(replay.at), who, event: 'replayed' } as const;
      lines.push({ ...again, what: `sent again by ${replay.by}`, detail: replay.by });
    }
    return lines;
  });
}

function inService(order: Trace['serviceOrder']): readonly TimelineLine[] {
  if (order?.kind !== 'held') return [];
  const { changedAt, givenAt, earning } = order;
  const who = 'loyalty service';
  const lines: TimelineLine[] = [];
  if (changedAt !== undefined) {
    lines.push({ at: Date.parse(changedAt), who, event: 'changed', what: 'changed last' });
  }
  if (givenAt !== undefined) {
    const detail = `${earning.points}`;
    const what = `gave ${detail} points: as many as it expects of this order`;
    lines.push({ at: Date.parse(givenAt), who, event: 'points-given', what, detail });
  }
  return lines;
}

/** Completes "No points yet: …". */
export function waitText({ waitsFor, why, until }: Trace['waits'][number]): string {
  return `its message waits ${FOR_WHAT[waitsFor]} (${why}), and the next attempt is at ${momentText(until)} UTC`;
}

/** In seconds and UTC, as in the store. */
export function momentText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')}`;
}
