import { errorFields, type Telemetry } from '../../core/batch/telemetry.ts';
import type { RateLimit } from '../../core/storefront/rate-limit.ts';
import type { Storefront } from '../../core/storefront/storefront.ts';
import type { WebhookSecrets } from '../webhooks/signature.ts';
import { type Proof, type ProvedRequest, proveRequest } from './prove-request.ts';
import {
  badRequest,
  errorAnswer,
  type ProxyAnswer,
  tooMany,
  unavailable,
  unknownField,
} from './proxy-answer.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import type { ScriptServer } from './serve-script.ts';

export interface ProxyRequest {
  readonly method: string;
  /** As sent: `/example-store/me`. */
  readonly path: string;
  /** As sent, without the question mark: it is what was signed. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** One shop has one address, its own secrets and its own program. */
export interface ServedShop {
  readonly domain: string;
  /** The app's: one secret signs webhooks and proxied requests. */
  readonly secrets: {
    get(): Promise<WebhookSecrets>;
    /** Asks again, at most once a minute: a secret may have been rotated a moment ago. */
    refresh(): Promise<{ readonly kind: 'renewed' | 'unchanged'; readonly value: WebhookSecrets }>;
  };
  readonly storefront: Storefront;
  readonly rateLimit: { readonly customer: RateLimit; readonly visitors: RateLimit };
}

export interface ServingWorld {
  /** By the shop's part of the path, without slashes. */
  readonly shops: ReadonlyMap<string, ServedShop>;
  readonly script: ScriptServer;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
}

const SCRIPT = 'widget.js';

/** Prove, route, limit, answer. */
export async function serveStorefront(
  request: ProxyRequest,
  world: ServingWorld,
): Promise<ProxyAnswer> {
  const { telemetry } = world;
  const [, shopPath = '', name = '', ...more] = request.path.split('/');
  const shop = world.shops.get(shopPath);
  // Told apart in the figures only: whoever tries addresses must not learn which exist.
  if (!shop) return refuse(telemetry, 'unknown-address');
  try {
    const proof = await prove(request.query, shop, world);
    if (proof.kind === 'refused') return refuse(telemetry, proof.why);
    if (proof.by === 'previous') telemetry.count('older-secret-used');
    const answer = await route(more.length > 0 ? '' : name, request, proof.request, shop, world);
    telemetry.count(answer.status === 503 ? 'unavailable' : 'served');
    return answer;
  } catch (error) {
    telemetry.count('unavailable');
    telemetry.log('error', 'a request of the storefront broke off', {
      shop: shop.domain,
      ...errorFields(error),
    });
    return unavailable();
  }
}

async function prove(
  query: string,
  { domain, secrets }: ServedShop,
  { now }: ServingWorld,
): Promise<Proof> {
  const proof = proveRequest(query, domain, await secrets.get(), now());
  if (proof.kind === 'proved' || proof.why !== 'signature') return proof;
  const renewal = await secrets.refresh();
  return renewal.kind === 'renewed' ? proveRequest(query, domain, renewal.value, now()) : proof;
}

async function route(
  name: string,
  request: ProxyRequest,
  { customerId, parameters }: ProvedRequest,
  shop: ServedShop,
  { script, telemetry, now }: ServingWorld,
): Promise<ProxyAnswer> {
  if (name === SCRIPT) {
    // Its parameters mean nothing: a theme may add a version to get past a cache.
    if (request.method !== 'GET') return wrongMethod('GET');
    return script(request.headers['if-none-match']);
  }
  const found = routes.get(name);
  if (!found) return errorAnswer(404, 'not-found', 'There is nothing at this address.');
  if (request.method !== found.method) return wrongMethod(found.method);
  const { customer, visitors } = shop.rateLimit;
  const limited = customerId === undefined ? visitors('', now()) : customer(customerId, now());
  if (limited) {
    telemetry.count('too-many');
    return tooMany(limited.afterSeconds);
  }
  if ([...parameters.keys()].some((key) => !found.parameters.includes(key))) return unknownField();
  const wrong = refuseBody(found, request);
  if (wrong) return wrong;
  const question = { parameters, body: request.body, storefront: shop.storefront };
  if (found.for === 'everybody') return found.answer({ ...question, customerId });
  if (customerId === undefined) {
    return errorAnswer(401, 'not-logged-in', 'Log in to the store first.');
  }
  return found.answer({ ...question, customerId });
}

/**
 * A page of another site can make a logged-in browser send a form here, but not JSON: for that the
 * browser asks the store first, and the store says no.
 */
function refuseBody({ method }: Route, { headers, body }: ProxyRequest): ProxyAnswer | undefined {
  if (method === 'GET') return body.byteLength > 0 ? badRequest('GET takes no body.') : undefined;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase() === 'application/json'
    ? undefined
    : badRequest('The content type must be application/json.');
}

function wrongMethod(right: string): ProxyAnswer {
  return errorAnswer(405, 'wrong-method', `Ask this with ${right}.`);
}

/** One answer for all: it tells nobody what to change. */
function refuse(telemetry: Telemetry, why: string): ProxyAnswer {
  telemetry.count('refused', { why });
  return errorAnswer(401, 'bad-signature', 'This request did not come through the store.');
}
