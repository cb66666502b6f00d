import { errorFields, type Telemetry } from '../../core/events/telemetry.ts';
import type { RateLimit } from '../../rewards/storefront/storefront.ts';
import type { paths } from '../../store/storefront-answers.gen.ts';
import {
  type Caller,
  callerOf,
  type ProvedCall,
  prove,
  type ServedShop,
  type StorefrontRequest,
} from './caller.ts';
import { flowRoutes } from './flow.ts';
import {
  challenge,
  getRoutes,
  redeem,
  redeemAtTill,
  takeBack,
  takeBackAtTill,
} from './redeem-routes.ts';
import {
  allowAnyOrigin,
  answerPreflight,
  badRequest,
  errorAnswer,
  type Route,
  type StorefrontAnswer,
  tooMany,
  unavailable,
  unknownField,
} from './route.ts';
import type { ScriptServer } from './serve-script.ts';

type RouteOf<Path> = Path extends `/${infer Route}` ? Route : never;

/** By the last part of the path: `/apps/loyalty/me`. */
export const routes: ReadonlyMap<string, Route> = new Map(
  Object.entries({
    ...getRoutes,
    redeem,
    'take-back': takeBack,
  } satisfies Record<RouteOf<keyof paths>, Route>),
);

export const tillRoutes: ReadonlyMap<string, Route> = new Map(
  Object.entries({ ...getRoutes, redeem: redeemAtTill, 'take-back': takeBackAtTill, challenge }),
);

export interface StorefrontDependencies {
  /** By the shop's part of the path, without slashes. */
  readonly shops: ReadonlyMap<string, ServedShop>;
  /** Loaded when a browser asks for it, which keeps it for long. */
  readonly script: () => Promise<ScriptServer>;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
}

const SCRIPT = 'widget.js';

export async function serveStorefront(
  request: StorefrontRequest,
  dependencies: StorefrontDependencies,
): Promise<StorefrontAnswer> {
  const [, shopPath = '', ...parts] = request.path.split('/');
  const caller = callerOf(parts);
  const shop = dependencies.shops.get(shopPath);
  const isFromBrowser = caller.kind === 'account' || caller.kind === 'till';
  if (!isFromBrowser) return serve(caller, request, shop, dependencies);
  if (request.method === 'OPTIONS') return answerPreflight();
  return allowAnyOrigin(await serve(caller, request, shop, dependencies));
}

async function serve(
  caller: Caller,
  request: StorefrontRequest,
  shop: ServedShop | undefined,
  dependencies: StorefrontDependencies,
): Promise<StorefrontAnswer> {
  const { telemetry } = dependencies;
  // The answer is the same for an unknown shop and a wrong proof, so that guessing finds no shops.
  if (!shop) return refused(caller);
  try {
    const proof = await prove(caller, request, shop, dependencies.now());
    if (proof.kind === 'refused') {
      telemetry.count('storefront-refused', { why: proof.why });
      telemetry.log('warn', 'a storefront request was refused', {
        shop: shop.domain,
        caller: caller.kind,
        why: proof.why,
      });
      return refused(caller);
    }
    if (proof.by === 'previous') telemetry.count('older-secret-used');
    const answer = await route(caller, request, proof.request, shop, dependencies);
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

async function route(
  caller: Caller,
  request: StorefrontRequest,
  proved: ProvedCall,
  shop: ServedShop,
  { script, now }: StorefrontDependencies,
): Promise<StorefrontAnswer> {
  const { customerId, staffId, parameters } = proved;
  const isHidden = shop.observers !== undefined && !shop.observers.includes(customerId ?? '');
  if (caller.kind === 'proxy' && caller.route === SCRIPT) {
    // Any parameters are allowed here: a theme may add a version to bypass a cache.
    if (request.method !== 'GET') return wrongMethod('GET');
    if (isHidden) return NO_SCRIPT;
    const answer = (await script())(request.headers, parameters.get('language') ?? undefined);
    return shop.observers ? notKept(answer) : answer;
  }
  const found = routesOf(caller).get(caller.route);
  if (!found) return errorAnswer(404, 'not-found', 'There is nothing at this address.');
  if (request.method !== found.method) return wrongMethod(found.method);
  const limited = findLimit(proved, shop, now());
  if (limited) return tooMany(limited.afterSeconds);
  if (caller.kind !== 'till' && isHidden) return notLive(403);
  if (shop.observers && found.method === 'POST') return notLive(409);
  if ([...parameters.keys()].some((key) => !found.parameters.includes(key))) return unknownField();
  const wrong = refuseBody(found, request);
  if (wrong) return wrong;
  if (caller.kind === 'flow' && customerId === undefined) {
    return badRequest('customer_id must be the number of a customer.');
  }
  const isForCustomer = caller.kind === 'till' || caller.kind === 'flow';
  if (isForCustomer && !(await shop.hasCustomer(customerId ?? ''))) {
    return errorAnswer(404, 'not-found', 'This shop has no such customer.');
  }
  const by = caller.kind === 'till' ? 'staff' : 'customer';
  const question = { parameters, body: request.body, storefront: shop.storefront, by } as const;
  if (found.for === 'anyone') return found.answer({ ...question, customerId });
  if (customerId === undefined) {
    return errorAnswer(401, 'not-logged-in', 'Log in to the store first.');
  }
  if (found.for === 'customer') return found.answer({ ...question, customerId });
  if (staffId === undefined) throw new Error('a route of the till without its user');
  return found.answer({ ...question, customerId, staffId });
}

function routesOf({ kind }: Caller): ReadonlyMap<string, Route> {
  if (kind === 'flow') return flowRoutes;
  return kind === 'till' ? tillRoutes : routes;
}

function findLimit(
  { customerId, staffId }: ProvedCall,
  { rateLimit }: ServedShop,
  now: Date,
): ReturnType<RateLimit> {
  if (staffId !== undefined) return rateLimit.staff(staffId, now) ?? rateLimit.tills('', now);
  return customerId === undefined
    ? rateLimit.anonymous('', now)
    : rateLimit.customer(customerId, now);
}

/**
 * Against cross-site request forgery: a page of another site can make a logged-in browser send a form,
 * but JSON needs a CORS preflight, which the store refuses.
 */
function refuseBody(
  { method }: Route,
  { headers, body }: StorefrontRequest,
): StorefrontAnswer | undefined {
  if (method === 'GET') return body.byteLength > 0 ? badRequest('GET takes no body.') : undefined;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase() === 'application/json'
    ? undefined
    : badRequest('The content type must be application/json.');
}

function wrongMethod(right: string): StorefrontAnswer {
  return errorAnswer(405, 'wrong-method', `Use ${right} for this address.`);
}

/** One answer for every reason, so that an attacker learns nothing from it. */
function refused({ kind }: Caller): StorefrontAnswer {
  return kind === 'proxy' || kind === 'flow'
    ? errorAnswer(401, 'bad-signature', 'This request did not come through the store.')
    : errorAnswer(401, 'bad-token', 'This request has no valid token.');
}

/** The shop is observed: only its observers and tills see the program, and nobody changes anything. */
function notLive(status: 403 | 409): StorefrontAnswer {
  return errorAnswer(status, 'not-live', 'The loyalty program of this shop is not open yet.');
}

/** What one customer gets must not be another's. */
const notKept = (answer: StorefrontAnswer): StorefrontAnswer => ({
  ...answer,
  headers: { ...answer.headers, 'cache-control': 'private, no-store' },
});

const NO_SCRIPT = notKept({
  status: 200,
  headers: { 'content-type': 'text/javascript; charset=utf-8' },
  body: '',
});
