import { randomUUID } from 'node:crypto';
import { type PointTopic, pointTopics } from '../../../shared/loyalty/operations.ts';
import { Poster } from '../../sandbox-kit/http/post.ts';
import type { SandboxSettings } from '../settings.ts';
import type { PointEvent } from './point-event.ts';
import type { Subscription } from './subscriptions.ts';

export interface EventPost {
  /** Resolves to undefined when the receiver took it (2xx), else to what went wrong. */
  post(to: Subscription, event: PointEvent): Promise<string | undefined>;
  close(): void;
}

type EventSettings = Pick<SandboxSettings, 'eventForm' | 'eventUuid'>;

/** What is delivered of an event, under a Uuid. */
export function wrapEvent(
  { topic, payload }: Pick<PointEvent, 'topic' | 'payload'>,
  { eventForm }: Pick<EventSettings, 'eventForm'>,
  Uuid: string,
  now: Date,
): unknown {
  if (eventForm === 'bare') return payload;
  const names: { Topic: PointTopic | number; TopicName?: PointTopic } =
    eventForm === 'wrapped'
      ? { Topic: topic }
      : { Topic: pointTopics.indexOf(topic) + 1, TopicName: topic };
  return { Uuid, Timestamp: now.toISOString(), ...names, Payload: payload };
}

export function createEventPost(
  timeoutMs: number,
  settings: EventSettings,
  now: () => Date,
): EventPost {
  /** By event, where the settings let a repetition keep its Uuid. */
  const uuids = new Map<string, string>();
  const uuidOf = ({ id }: PointEvent): string => {
    const uuid = (settings.eventUuid === 'per-event' && uuids.get(id)) || randomUUID();
    if (settings.eventUuid === 'per-event') uuids.set(id, uuid);
    return uuid;
  };
  const poster = new Poster(timeoutMs, 16);
  return {
    async post({ address, headers = {} }, event) {
      const body = JSON.stringify(wrapEvent(event, settings, uuidOf(event), now()));
      const { problem } = await poster.post(address, Buffer.from(body), headers);
      return problem;
    },
    close: () => poster.close(),
  };
}
