import { DROPPED } from '../../../shared/core/batch/dead-letter.ts';
import { fromThousandths } from '../../../shared/core/ledger/service-order.ts';
import { nextAttempt } from '../ground/checks/read-pauses.ts';
import { FOR_WHAT } from '../ground/checks/waiting-messages.ts';
import { amountText, orderIn } from '../ground/compare/sides.ts';
import type { TimelineBlock, Tone } from '../ground/terminal/document.ts';
import { counted, utcText } from '../ground/terminal/text.ts';
import type { Trace } from './collect-trace.ts';

type Line = TimelineBlock['lines'][number];

/** Every known moment, the oldest first. What waits is left out where nothing is to be done any more. */
export function timelineOf(trace: Trace, isSettled: boolean): TimelineBlock {
  const lines = [
    ...inStore(trace),
    ...(isSettled ? [] : onQueue(trace)),
    ...inLedger(trace),
    ...amongLetters(trace.letters),
  ];
  return {
    kind: 'timeline',
    title: 'What happened',
    lines: lines
      .filter(({ at }) => Number.isFinite(Date.parse(at)))
      .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
  };
}

function inStore({ store, changedAt: last }: Trace): readonly Line[] {
  if (store.kind !== 'found') return [];
  const order = orderIn(store);
  const moments = {
    created: order?.placedAt,
    fulfilled: order?.fulfilledAt,
    'refunded last': order?.refundedAt,
    cancelled: order?.cancelledAt,
  };
  const known = Object.entries(moments).flatMap(([what, at]) =>
    at === undefined ? [] : [{ at, who: 'Store', what }],
  );
  if (last === undefined) return known;
  // The last change is most often one that has a line of its own.
  if (known.some(({ at }) => Math.abs(Date.parse(at) - last) < 1_000)) return known;
  return [...known, { at: new Date(last).toISOString(), who: 'Store', what: 'changed last' }];
}

function onQueue({ waits, pause }: Trace): readonly Line[] {
  return waits.flatMap((wait) => {
    const { since, waitsFor, tries } = wait;
    const detail = `${FOR_WHAT[waitsFor]}${tries > 0 ? `, after ${counted(tries, 'failed attempt')}` : ''}`;
    const line = { who: 'Queue', tone: 'waits' } as const;
    return [
      { ...line, at: new Date(since).toISOString(), what: 'waits', detail },
      { ...line, at: new Date(nextAttempt(wait, pause)).toISOString(), what: 'next attempt' },
    ];
  });
}

const OUTCOMES: Readonly<Record<string, { readonly what: string; readonly tone?: Tone }>> = {
  applied: { what: 'sent', tone: 'well' },
  unchanged: { what: 'nothing new to send', tone: 'soft' },
  skipped: { what: 'not sent, by rule' },
  rejected: { what: 'gave up', tone: 'bad' },
  [DROPPED]: { what: 'its dead letter was dropped', tone: 'waits' },
};

/** The labels of events that no webhook brought. */
const topicText = (topic: string) =>
  topic.replace(/^resend\/.*/, 'sent again by an operator').replace(/^backfill\/.*/, 'backfill');

function inLedger({ key, entry, store, doubt }: Trace): readonly Line[] {
  const outcomes = entry?.outcomes ?? [];
  const order = orderIn(store);
  return outcomes.map(({ at, outcome, version, topic, why, origin, counts }, index) => {
    const state = version > 0 && `the state of ${utcText(version)}`;
    // What is sent again for another reason, such as a changed rule, has a line of the same state before it.
    const isLost =
      key.kind === 'order' &&
      // It may have come while the shop was observed, or before the ledger was restored.
      !(doubt && version < doubt.until) &&
      outcomes.slice(0, index).every((one) => one.version < version);
    const found = origin && `${isLost ? 'its webhook was lost, ' : ''}found by reconciliation`;
    const before = outcomes.slice(0, index).findLast((one) => one.counts !== undefined)?.counts;
    const less = counts === undefined || before === undefined ? 0 : before - counts;
    const taken = less > 0 && `took back ${amountText(fromThousandths(less), order?.currency)}`;
    const detail = [why, topicText(topic), state, found, taken].filter(Boolean).join(', ');
    return { at, who: 'Connector', ...(OUTCOMES[outcome] ?? { what: outcome }), detail };
  });
}

function amongLetters(letters: Trace['letters']): readonly Line[] {
  const who = 'Dead letter';
  return letters.flatMap(({ at, reason, code, attempts, event, letterId }) => {
    const tries = attempts ? `attempt ${attempts}` : undefined;
    const detail = [reason, code, tries, letterId].filter(Boolean).join(', ');
    const given: Line = {
      ...{ at: new Date(at).toISOString(), who, what: 'given up', detail, tone: 'bad' },
    };
    if (!event) return [given];
    const { topic, triggeredAt, receivedAt, replays = [] } = event;
    const sent = { who: 'Store', what: 'sent the webhook', detail: topic };
    return [
      given,
      ...(triggeredAt === undefined ? [] : [{ ...sent, at: triggeredAt }]),
      { at: receivedAt, who: 'Queue', what: 'received', detail: topic },
      ...replays.map((replay) => ({ at: replay.at, who, what: `sent again by ${replay.by}` })),
    ];
  });
}
