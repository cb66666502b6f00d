import { isStoreId } from '../../rewards/balances/point-balance.ts';
import { idFromGid } from '../entity-id.ts';
import {
  badRequest,
  errorAnswer,
  jsonAnswer,
  post,
  tooMany,
  unavailable,
  unknownField,
} from './route.ts';

/** What a workflow of Shopify Flow sends when it runs our action ("Create Flow action endpoints"). */
interface ActionRun {
  readonly shop: unknown;
  readonly handle: unknown;
  readonly runId: unknown;
  readonly customerId: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Undefined for what is no run. Fields that Flow adds beside the action's own are ignored. */
export function readRun(body: Uint8Array): ActionRun | undefined {
  try {
    const run = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const { shopify_domain: shop, handle, action_run_id: runId, properties } = run;
    const id = String(properties.customer_id);
    const number = idFromGid(id, 'Customer') ?? id;
    const customerId = isStoreId(number) ? number : undefined;
    return { shop, handle, runId, properties, customerId };
  } catch {
    return undefined;
  }
}

/** Of app/extensions/loyalty-give-points; Flow's own example has a `step_reference` among them. */
const PROPERTIES = ['customer_id', 'points', 'reason', 'step_reference'];
const LONGEST_REASON = 255;

/**
 * Gives points, once for each run. Flow waits for ten seconds. It repeats a run with the same id after 5xx, 429 and no
 * answer, for a day, and shows any other 4xx in the log of the workflow ("Create Flow action endpoints"): so what may
 * succeed later is 5xx or 429, and what a person must correct is 4xx.
 */
const givePoints = post('customer', async ({ customerId, body, storefront }) => {
  const run = readRun(body);
  if (run?.handle !== 'loyalty-give-points') return badRequest('There is no such action.');
  const { runId, properties } = run;
  if (typeof runId !== 'string' || runId === '') return badRequest('action_run_id is missing.');
  if (Object.keys(properties).some((name) => !PROPERTIES.includes(name))) return unknownField();
  const { points: text, reason = '' } = properties;
  // A decimal comes as text: `10.00`.
  const points = typeof text === 'string' && text.trim() !== '' ? Number(text) : text;
  if (typeof points !== 'number' || !Number.isSafeInteger(points) || points < 1) {
    return badRequest('points must be a whole number above 0.');
  }
  if (typeof reason !== 'string' || reason.length > LONGEST_REASON) {
    return badRequest(`reason must have at most ${LONGEST_REASON} characters.`);
  }
  const gift = { runId, points, ...(reason.trim() !== '' && { reason }) };
  const given = await storefront.give(customerId, gift);
  switch (given.kind) {
    case 'given':
      return jsonAnswer({ given: points });
    case 'off':
      return errorAnswer(404, 'not-found', 'Workflows may not give points: storefront.flow.');
    case 'busy':
      return tooMany(1);
    case 'unavailable':
      if (!given.isPaused) return unavailable(given.afterSeconds);
      return errorAnswer(503, 'shop-paused', 'The connector is paused for this shop.');
    case 'refused':
      return errorAnswer(422, given.why, REFUSALS[given.why]);
  }
});

const REFUSALS = {
  'too-many-points': 'More points than one run may give: storefront.flow.mostPointsPerRun.',
  'daily-limit': 'More points than may be given on a day: storefront.flow.mostPointsPerDay.',
  refused: 'The loyalty program does not give this customer points.',
} as const;

export const flowRoutes = new Map([['give-points', givePoints]]);
