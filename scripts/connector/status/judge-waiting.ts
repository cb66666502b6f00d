import type { WaitsFor } from '../../../shared/core/batch/waiting.ts';
import { momentText, spanText } from '../terminal/text.ts';
import {
  count,
  type Expectations,
  type Findings,
  type Status,
  type WaitingStatus,
} from './status-model.ts';

/** Completes "it waits …". */
export const FOR_WHAT: Readonly<Record<WaitsFor, string>> = {
  loyalty: 'for the loyalty service',
  store: 'for the store',
  throttled: 'because the loyalty service asked for fewer calls',
  misconfigured: 'because credentials, scopes or an address are refused',
  paused: 'for "resume"',
  connector: 'for the connector or AWS',
  patience: 'for something that may take hours',
};

/** What waits, and whether it goes on without a person. */
export function judgeWaiting(status: Status, expected: Expectations): Findings {
  const waiting = status.waiting.kind === 'known' ? status.waiting.value : [];
  if (waiting.length === 0) return judgeUnrecorded(status);
  const found = waiting.map((group) => judgeGroup(group, new Date(status.at), expected));
  return {
    troubles: found.flatMap(({ troubles = [] }) => troubles),
    waits: found.flatMap(({ waits = [] }) => waits),
  };
}

function judgeGroup(group: WaitingStatus, now: Date, expected: Expectations): Findings {
  const { shop, waitsFor, messages, since, nextTry, whys } = group;
  const [wait, inSeconds] = [messages === 1 ? 'waits' : 'wait', Date.parse(nextTry) - +now];
  const what = `${shop}: ${count(messages, 'message')} ${wait} ${FOR_WHAT[waitsFor]} since ${momentText(since, now)} (${whys.join(', ')}), next try in ${spanText(inSeconds)}`;
  switch (waitsFor) {
    // The pause itself is trouble, with the command that ends it.
    case 'paused':
    case 'patience':
      return { waits: [what] };
    case 'misconfigured':
      return { troubles: [{ what, next: 'doctor' }] };
    case 'connector':
    case 'loyalty':
    case 'store':
    case 'throttled': {
      const minutes = (+now - Date.parse(since)) / 60_000;
      // The alarms ring then, too: `stuck` and `crash`.
      const needsPerson = minutes > expected.oldestMessageMinutes || whys.includes('broke-off');
      return needsPerson ? { troubles: [{ what, next: 'doctor' }] } : { waits: [what] };
    }
  }
}

/** A failed attempt says nothing of the messages that are in flight now for longer than this. */
const RECENT_MS = 5 * 60_000;

/** The ledger has no records, or cannot be read: the figures show that attempts fail. */
function judgeUnrecorded({ at, lastHour, queues }: Status): Findings {
  if (lastHour.kind === 'unknown' || queues.kind === 'unknown') return {};
  const inFlight = queues.value.reduce((sum, queue) => sum + queue.inFlight, 0);
  const { retried } = lastHour.value.signs;
  if (inFlight === 0 || !retried || retried.acceptedSince > 0) return {};
  if (Date.parse(at) - retried.lastAt > RECENT_MS) return {};
  const last = momentText(new Date(retried.lastAt).toISOString(), new Date(at));
  return {
    waits: [`${count(inFlight, 'message')} in flight; the last attempt failed at ${last}`],
  };
}
