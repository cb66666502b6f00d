import { createHmac, randomUUID } from 'node:crypto';

/** One step of a workflow that runs an action of the app. */
export interface ActionRun {
  readonly handle: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** The same in a repetition. Default: a new one. */
  readonly runId?: string;
}

/** The request as Flow sends and signs it ("Create Flow action endpoints"). */
export function actionRequest(
  { handle, properties, runId = randomUUID() }: ActionRun,
  { shop, secret }: { readonly shop: string; readonly secret: string },
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const body = JSON.stringify({
    shop_id: '1',
    shopify_domain: shop,
    action_run_id: runId,
    action_definition_id: handle,
    handle,
    properties,
    step_reference: '320d4f8a-aaab-40ff-9ed2-2bc079633705',
  });
  const signature = createHmac('sha256', secret).update(body).digest('base64');
  const headers = { 'x-shopify-hmac-sha256': signature, 'x-shopify-shop-domain': shop };
  return { body, headers: { 'content-type': 'application/json', ...headers } };
}
