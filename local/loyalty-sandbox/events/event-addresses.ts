import { type PointTopic, pointTopics } from '../../../shared/loyalty/point-topics.ts';

/** An address per topic, or one for all in which `{topic}` stands for the topic's name. */
export type EventAddresses = string | { readonly [T in PointTopic]?: string };

/** Undefined: events of that topic are not sent. */
export type EventAddressOf = (topic: PointTopic) => URL | undefined;

/** Throws on an address that is none. */
export function readEventAddresses(addresses: EventAddresses = {}): EventAddressOf {
  const byTopic = new Map(
    pointTopics.flatMap((topic) => {
      const text = typeof addresses === 'string' ? addresses : addresses[topic];
      return text === undefined ? [] : [[topic, readAddress(text.replaceAll('{topic}', topic))]];
    }),
  );
  return (topic) => byTopic.get(topic);
}

function readAddress(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error(`The address for point events must begin with http:// or https://, not: ${text}`);
}
