import { createHash } from 'node:crypto';
import { errorFields, type Telemetry } from '../../core/batch/telemetry.ts';
import type { RateLimit } from '../../core/storefront/rate-limit.ts';
import type { Storefront } from '../../core/storefront/storefront.ts';
import type { WebhookSecretReader } from '../webhooks/signature.ts';
import { getRoutes } from './get-routes.ts';
import { postRoutes } from './post-routes.ts';
import { type Proof, type ProvedRequest, proveRequest } from './prove-request.ts';
import {
  badRequest,
  errorAnswer,
  type ProxyAnswer,
  type Route,
  tooMany,
  unavailable,
  unknownField,
} from './route.ts';

/** By the last part of the path: `/apps/loyalty/me`. */
export const routes: ReadonlyMap<string, Route> = new Map(
  Object.entries({ ...getRoutes, ...postRoutes }),
);

export interface ProxyRequest {
  readonly method: string;
  /** As sent: `/example-store/me`. */
  readonly path: string;
  /** As sent, without the question mark: this text was signed. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

export interface ServedShop {
  readonly domain: string;
  /** The same secret signs webhooks and proxied requests. */
  readonly secrets: WebhookSecretReader;
  readonly storefront: Storefront;
  readonly rateLimit: { readonly customer: RateLimit; readonly anonymous: RateLimit };
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
  // The answer is the same for an unknown shop and a wrong signature, so that guessing finds no shops.
  if (!shop) return refused();
  try {
    const proof = await prove(request.query, shop, world);
    if (proof.kind === 'refused') {
      telemetry.count('storefront-refused', { why: proof.why });
      telemetry.log('warn', 'a storefront request was refused', {
        shop: shop.domain,
        why: proof.why,
      });
      return refused();
    }
    if (proof.by === 'previous') telemetry.count('older-secret-used');
    const answer = await route(more.length > 0 ? '' : name, request, proof.request, shop, world);
    if (answer.status === 503) telemetry.count('unavailable');
    return answer;
  } catch (error) {
    telemetry.count('unavailable');
    telemetry.log('error', 'a storefront request failed', {
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
  { script, now }: ServingWorld,
): Promise<ProxyAnswer> {
  if (name === SCRIPT) {
    // Parameters are allowed here: a theme may add a version to bypass a cache.
    if (request.method !== 'GET') return wrongMethod('GET');
    return script(request.headers['if-none-match']);
  }
  const found = routes.get(name);
  if (!found) return errorAnswer(404, 'not-found', 'There is nothing at this address.');
  if (request.method !== found.method) return wrongMethod(found.method);
  const { customer, anonymous } = shop.rateLimit;
  const limited = customerId === undefined ? anonymous('', now()) : customer(customerId, now());
  if (limited) return tooMany(limited.afterSeconds);
  if ([...parameters.keys()].some((key) => !found.parameters.includes(key))) return unknownField();
  const wrong = refuseBody(found, request);
  if (wrong) return wrong;
  const question = { parameters, body: request.body, storefront: shop.storefront };
  if (found.for === 'anyone') return found.answer({ ...question, customerId });
  if (customerId === undefined) {
    return errorAnswer(401, 'not-logged-in', 'Log in to the store first.');
  }
  return found.answer({ ...question, customerId });
}

/**
 * Against cross-site request forgery: a page of another site can make a logged-in browser send a form,
 * but JSON needs a CORS preflight, which the store refuses.
 */
function refuseBody({ method }: Route, { headers, body }: ProxyRequest): ProxyAnswer | undefined {
  if (method === 'GET') return body.byteLength > 0 ? badRequest('GET takes no body.') : undefined;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase() === 'application/json'
    ? undefined
    : badRequest('The content type must be application/json.');
}

function wrongMethod(right: string): ProxyAnswer {
  return errorAnswer(405, 'wrong-method', `Use ${right} for this address.`);
}

/** One answer for every reason, so that an attacker learns nothing from it. */
function refused(): ProxyAnswer {
  return errorAnswer(401, 'bad-signature', 'This request did not come through the store.');
}

/** Every page loads the script; a new version reaches all browsers within an hour. */
const SCRIPT_SECONDS = 3_600;

export type ScriptServer = (ifNoneMatch: string | undefined) => ProxyAnswer;

export function createScriptServer(script: string): ScriptServer {
  const etag = `"${createHash('sha256').update(script).digest('base64url')}"`;
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': `public, max-age=${SCRIPT_SECONDS}`,
    'x-content-type-options': 'nosniff',
    etag,
  };
  return (ifNoneMatch) => {
    // A proxy that compresses the text may mark the ETag as weak.
    const known = (ifNoneMatch ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
    return known.includes(etag)
      ? { status: 304, headers, body: '' }
      : { status: 200, headers, body: script };
  };
}
