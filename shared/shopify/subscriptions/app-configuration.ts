import { API_VERSION } from '../api-version.ts';
import { complianceTopics } from '../webhooks/topics.ts';
import { wantedSubscriptions } from './wanted-subscriptions.ts';

/**
 * The part of `shopify.app.toml` that belongs to the connector. The compliance topics stand there
 * whichever way is used; the others only where the app's configuration makes the subscriptions.
 */
export function appConfiguration(uri: string, madeBy: 'admin-api' | 'app-configuration'): string {
  const compliance = tables([
    ['compliance_topics', [...complianceTopics]],
    ['uri', uri],
  ]);
  const groups = Map.groupBy(madeBy === 'admin-api' ? [] : wantedSubscriptions(uri), (one) =>
    one.includeFields.join(),
  );
  const subscriptions = [...groups.values()].map((group) => {
    const fields = group[0]?.includeFields ?? [];
    return tables([
      ['topics', group.map(({ topic }) => topic)],
      ['uri', uri],
      ...(fields.length > 0 ? [['include_fields', fields] as const] : []),
    ]);
  });
  const head = `[webhooks]\napi_version = ${quote(API_VERSION)}\n`;
  return [head, ...subscriptions, compliance].join('\n');
}

type Setting = readonly [name: string, value: string | readonly string[]];

function tables(settings: readonly Setting[]): string {
  const lines = settings.map(([name, value]) => `${name} = ${write(value)}`);
  return `[[webhooks.subscriptions]]\n${lines.join('\n')}\n`;
}

/** One entry a line, so that a change of one is a change of one line. */
function write(value: string | readonly string[]): string {
  if (typeof value === 'string') return quote(value);
  return `[\n${value.map((one) => `  ${quote(one)},\n`).join('')}]`;
}

/** A basic string of TOML: for the characters of topics and addresses, the same as JSON's. */
const quote = (text: string): string => JSON.stringify(text);
