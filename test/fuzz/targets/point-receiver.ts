import { toHttpRequest } from '../../../functions/wiring.ts';
import { toFunctionUrlEvent } from '../../../local/harness/webhook-request.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import {
  deduplicationIdOf,
  groupIdOf,
  type QueuedEvent,
} from '../../../shared/core/events/event.ts';
import { encodeEvent } from '../../../shared/core/events/message-body.ts';
import { receivePoints, TOKEN_HEADER } from '../../../shared/rewards/balances/receive-points.ts';
import { pointEvent } from '../../fixtures/point-event.ts';
import { createMemoryQueue } from '../../support/memory-queue.ts';
import {
  chance,
  createCheckedTelemetry,
  expectLaw,
  type FuzzTarget,
  pick,
} from '../fuzz-target.ts';
import { HOSTILE_TEXTS, makeBody, toTree } from '../make-body.ts';
import { SHOP } from '../valid-webhooks.ts';

const TOKEN = 'k'.repeat(43);
const NOW = new Date('2026-10-09T12:00:00Z');
const VALID = toTree(
  pointEvent({ Origins: [{ PointId: 1, UsedPoints: 2, UsedCashback: 0.5 }], Cashback: null }),
);
const WRAPPED = toTree({
  Uuid: 'bb7b8f0e-1d5c-4c7e-9b1e-111111111111',
  Timestamp: '2026-10-09T12:00:00Z',
  Topic: 'Point_Add',
  Payload: pointEvent(),
});

/** The receiver of point events, from Lambda's request to the message for SQS. */
export function createTarget(): FuzzTarget {
  const output = createCheckedTelemetry('receive-points');
  const pair = { current: TOKEN };
  const tokens = {
    get: async () => pair,
    refresh: async () => ({ kind: 'unchanged' as const, value: pair }),
  };
  const shops = new Map([['example-store', { domain: SHOP, tokens }]]);
  return {
    make(random) {
      const right = pick(random, ['', `/${TOKEN}`]);
      const path = chance(random, 0.9) ? right : `/${pick(random, HOSTILE_TEXTS)}`;
      const header = chance(random, 0.9) ? TOKEN : pick(random, HOSTILE_TEXTS);
      const method = chance(random, 0.98) ? 'POST' : 'PUT';
      const tree = chance(random, 0.5) ? VALID : WRAPPED;
      return {
        body: makeBody(tree, random),
        parts: { path: `/example-store${path}`, method, header },
      };
    },
    async run({ body, parts: { path = '', method = '', header = '' } }) {
      const queue = createMemoryQueue({ now: () => NOW.getTime() });
      const send = async (event: QueuedEvent) => {
        const ids = { groupId: groupIdOf(event), deduplicationId: deduplicationIdOf(event) };
        queue.send({ body: encodeEvent(event), ...ids });
      };
      const plain = { shop: '', topic: '', webhookId: '', triggeredAt: '', secret: '' };
      const event = toFunctionUrlEvent({ ...plain, path: path.slice(1), body });
      event.requestContext.http.method = method;
      event.headers[TOKEN_HEADER] = header;
      const answer = await receivePoints(toHttpRequest(event), {
        shops,
        customerIdIn: 'Id',
        queue: { send },
        telemetry: output.telemetry,
        now: () => NOW,
      });
      output.telemetry.flush();
      output.expectValidLines();
      expectLaw([200, 401, 405].includes(answer.status), 'no 5xx while the queue works');
      expectLaw(answer.text.length < 200, 'an answer does not repeat what was sent');
      const accepted = answer.text === 'accepted';
      const messages = queue.receive({ max: 2 });
      expectLaw(messages.length === (accepted ? 1 : 0), 'what is accepted is in the queue, once');
      for (const message of messages) {
        const decoded = decodeEvent(message.body);
        expectLaw(decoded.kind === 'event', 'the worker reads what was accepted');
        if (decoded.event.kind === 'balance') {
          expectLaw(!/jordan/i.test(message.body), 'nothing of the person is queued with an id');
        }
        expectLaw(message.body.length < 200_000, 'a message has a bounded size');
      }
      return accepted ? 'accepted' : `status ${answer.status}`;
    },
  };
}
