import { TOKEN_HEADER } from '../../../shared/core/balances/receive-points.ts';
import { pointTopics } from '../../../shared/loyalty/point-topics.ts';
import { newToken } from '../../support/running-balances.ts';
import type { RedeemWorld } from './redeem-world.ts';

/** The address for all topics. */
export const ADDRESS = 'example-store';

export type Event = ReturnType<RedeemWorld['eventsOf']>[number];

/** A receiver of point events, and the header that proves them. */
export async function openPoints(world: RedeemWorld) {
  const token = newToken();
  world.connector.confidential.addSecret(token);
  await world.keepPointTokens({ current: token });
  return { token, headers: { [TOKEN_HEADER]: token }, receiver: await world.startReceiver() };
}

/** The forms in which the service is known to deliver. */
export const forms = {
  wrapped: ({ topic, payload }: Event) => ({
    Uuid: crypto.randomUUID(),
    Timestamp: new Date().toISOString(),
    Topic: topic,
    Payload: payload,
  }),
  'numbered topic': ({ topic, payload }: Event) => ({
    Uuid: crypto.randomUUID(),
    Timestamp: new Date().toISOString(),
    Topic: pointTopics.indexOf(topic) + 1,
    TopicName: topic,
    Payload: payload,
  }),
  bare: ({ payload }: Event) => payload,
} as const;
