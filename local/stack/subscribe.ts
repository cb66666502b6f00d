import { topicRoutes } from '../../shared/shopify/topics.ts';
import type { StoreSandbox } from '../store-sandbox/sandbox.ts';

/** An app's own file declares these; the Admin API does not offer them. */
const COMPLIANCE = new Set(['customers/data_request', 'customers/redact', 'shop/redact']);

const CREATE = `mutation ($topic: WebhookSubscriptionTopic!, $uri: String!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: { uri: $uri }) {
    userErrors { message }
  }
}`;
const DELETE =
  'mutation ($id: ID!) { webhookSubscriptionDelete(id: $id) { userErrors { message } } }';

/** Has the store send every topic of the connector to that address, and to no other. */
export async function subscribe(store: StoreSandbox, uri: string): Promise<void> {
  const made = store.state().subscriptions.filter(({ madeBy }) => madeBy === 'admin-api');
  for (const { id } of made.filter((one) => one.uri !== uri)) {
    await ask(store, DELETE, { id: `gid://shopify/WebhookSubscription/${id}` });
  }
  const there = new Set(made.filter((one) => one.uri === uri).map(({ topic }) => topic));
  for (const topic of topicRoutes.keys()) {
    if (COMPLIANCE.has(topic) || there.has(topic)) continue;
    await ask(store, CREATE, { topic: topic.replace('/', '_').toUpperCase(), uri });
  }
}

async function ask(
  { address, credentials }: StoreSandbox,
  query: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const response = await fetch(`${address}/admin/api/2026-10/graphql.json`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-shopify-access-token': credentials.accessToken,
    },
    body: JSON.stringify({ query, variables }),
  });
  const { errors } = (await response.json()) as { readonly errors?: unknown };
  if (errors) throw new Error(`The store refuses a subscription: ${JSON.stringify(errors)}`);
}
