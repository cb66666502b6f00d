import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { type PointTopic, pointTopics } from '../../../shared/loyalty/point-topics.ts';
import type { SandboxSettings } from '../settings.ts';
import type { PointEvent } from './point-event.ts';
import type { Subscription } from './subscriptions.ts';

export interface EventPost {
  /** Resolves to undefined when the receiver took it (2xx), else to what went wrong. */
  post(to: Subscription, event: PointEvent): Promise<string | undefined>;
  close(): void;
}

/** Enough for a burst over many customers, few enough not to look like an attack. */
const connections = { keepAlive: true, maxSockets: 16 };

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
  const stopped = new AbortController();
  const plain = { request: http.request, agent: new http.Agent(connections) };
  const secure = { request: https.request, agent: new https.Agent(connections) };

  return {
    post: ({ address, headers: own }, event) =>
      new Promise((resolve) => {
        const { request, agent } = address.startsWith('https:') ? secure : plain;
        const body = Buffer.from(JSON.stringify(wrapEvent(event, settings, uuidOf(event), now())));
        const headers = {
          ...own,
          'content-type': 'application/json',
          'content-length': body.length,
        };
        const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(timeoutMs)]);
        request(address, { method: 'POST', agent, headers, signal })
          .on('response', (response) => {
            response.on('error', () => {}).resume();
            const status = response.statusCode ?? 0;
            resolve(status >= 200 && status < 300 ? undefined : `HTTP ${status}`);
          })
          .on('error', (error: NodeJS.ErrnoException) => {
            resolve(signal.aborted ? `no answer within ${timeoutMs} ms` : (error.code ?? 'broken'));
          })
          .end(body);
      }),
    close: () => {
      stopped.abort();
      plain.agent.destroy();
      secure.agent.destroy();
    },
  };
}
