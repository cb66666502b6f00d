import type { ScanAnswer, StoreUnavailable } from '../../core/store/store.ts';
import type { StoreCoupon } from '../../store/store-entities.ts';
import { ifLikeSchema, unavailable } from './client/admin-answer.ts';
import type { Ask, DataOf } from './client/admin-client.ts';
import { activeRolloutsDocument } from './documents.gen.ts';
import { pick, readRest } from './pages.ts';

/** Without it codes follow their discounts' own dates. */
export const ROLLOUTS_SCOPE = 'read_rollouts';

/**
 * While a Rollout is active, it gives or withholds a discount whatever the discount's own status and dates say
 * (Shopify, "Upgrade your app for discount rollouts").
 */
export interface Rollout {
  readonly name: string;
  /** ISO 8601 in UTC with milliseconds, as the dates of a coupon. */
  readonly startedAt: string | undefined;
  /** When it is planned to end; undefined if it is not. */
  readonly endsAt: string | undefined;
  readonly changes: readonly RolloutChange[];
}

interface RolloutChange {
  readonly discountId: string;
  readonly does: 'activate' | 'expire';
  /** Of all buyers, in percent. The store does not say who they are. */
  readonly share: number;
}

export type RolloutsRead =
  | { readonly kind: 'read'; readonly rollouts: readonly Rollout[] }
  /** The app may not read them, or they are other than documented. Not the same as none. */
  | { readonly kind: 'not-known'; readonly why: string }
  | StoreUnavailable;

export function readRollouts(ask: Ask): Promise<RolloutsRead> {
  const unreadable = { kind: 'not-known', why: 'unreadable-answer' } as const;
  return ifLikeSchema<RolloutsRead, RolloutsRead>(() => readAll(ask), unreadable);
}

async function readAll(ask: Ask): Promise<RolloutsRead> {
  const page = async (after: string | null) => {
    const answer = await ask(activeRolloutsDocument, { after });
    return pick(answer, ({ rollouts }) => ({ state: '', page: rollouts }));
  };
  const first = await page(null);
  const all = first.kind === 'data' ? await readRest(first.data.page, '', page) : first;
  if (all.kind === 'nodes') {
    const isCut = all.nodes.some((one) =>
      one.treatments.some(({ changes }) => changes.pageInfo.hasNextPage),
    );
    if (isCut) return { kind: 'not-known', why: 'more-than-100-discounts-in-one-rollout' };
    return { kind: 'read', rollouts: all.nodes.map(rolloutFromNode) };
  }
  const answer = unavailable(all);
  const isRefused = all.kind === 'failure' && REFUSED.includes(all.reason);
  return isRefused ? { kind: 'not-known', why: answer.why } : answer;
}

const REFUSED: readonly string[] = ['access-denied', 'query-refused'];

type RolloutNode = DataOf<typeof activeRolloutsDocument>['rollouts']['nodes'][number];

function rolloutFromNode(node: RolloutNode): Rollout {
  const changes = new Map<string, RolloutChange>();
  for (const { split, changes: ofTreatment } of node.treatments) {
    const reached = (node.effectiveTrafficAllocation * split) / 100;
    for (const change of ofTreatment.nodes) {
      const does = DOES[change.__typename];
      // Null for a discount that was deleted.
      const discountId = does && change.discount?.id.split('/').at(-1);
      if (!discountId) continue;
      const before = changes.get(`${does} ${discountId}`)?.share ?? 0;
      changes.set(`${does} ${discountId}`, { discountId, does, share: before + reached });
    }
  }
  return {
    name: node.name,
    startedAt: inUtc(node.startedAt),
    endsAt: inUtc(node.schedule?.concludeAt),
    changes: [...changes.values()],
  };
}

function inUtc(text: string | null | undefined): string | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/** A Rollout also changes themes, catalogs and more. */
const DOES: Readonly<Record<string, RolloutChange['does']>> = {
  RolloutDiscountActivateChange: 'activate',
  RolloutDiscountExpireChange: 'expire',
};

/**
 * A Rollout changes nothing for who has the discount by its own dates, or has it not. Which of two Rollouts that
 * contradict each other reaches whom is not documented.
 */
export function followRollouts(coupon: StoreCoupon, rollouts: readonly Rollout[]): StoreCoupon {
  const changes = rollouts.flatMap((rollout) =>
    rollout.changes
      .filter(({ discountId }) => discountId === coupon.discountId)
      .map(({ does, share }) => ({ does, rollout, isForAll: share >= 100 })),
  );
  const [first] = changes;
  if (!first) return coupon;
  const { does } = first;
  if (changes.some((one) => one.does !== does)) return { ...coupon, onlyForSome: true };
  const forAll = changes.find(({ isForAll }) => isForAll);
  if (!forAll) {
    const isSoAnyway = coupon.status === (does === 'activate' ? 'active' : 'expired');
    return isSoAnyway ? coupon : { ...coupon, onlyForSome: true };
  }
  return does === 'expire' ? { ...coupon, status: 'expired' } : activated(coupon, forAll.rollout);
}

/** By its own dates or by the Rollout's. A gap between the two is corrected when the Rollout has ended. */
function activated(coupon: StoreCoupon, { startedAt, endsAt }: Rollout): StoreCoupon {
  const { startsAt: ownStart, endsAt: ownEnd } = coupon;
  const isEndless = ownEnd === undefined || endsAt === undefined;
  return {
    ...coupon,
    status: 'active',
    startsAt: startedAt !== undefined && startedAt < ownStart ? startedAt : ownStart,
    endsAt: isEndless ? undefined : endsAt > ownEnd ? endsAt : ownEnd,
  };
}

/** Of each discount that a Rollout changes, all that decides how: equal while nothing of it changes. */
export function describeOverrides(rollouts: readonly Rollout[]): ReadonlyMap<string, string> {
  const overrides = new Map<string, string>();
  for (const { changes, startedAt = '', endsAt = '' } of rollouts) {
    for (const { discountId, does, share } of changes) {
      const before = overrides.get(discountId) ?? '';
      overrides.set(discountId, `${before}${does} ${share} ${startedAt} ${endsAt};`);
    }
  }
  return overrides;
}

type Followed = ScanAnswer<readonly Rollout[]>;

/** What codes follow: none where it is not known. */
export async function readFollowed(ask: Ask): Promise<Followed> {
  const read = await readRollouts(ask);
  if (read.kind === 'unavailable') return read;
  return { kind: 'found', value: read.kind === 'read' ? read.rollouts : [] };
}

/** So long a Rollout that began or ended may be overlooked: reconcile compares its discounts in two runs. */
const KEPT_MS = 60_000;

/** The Rollouts of a shop, read once a minute at most, and never for each code. */
export function cacheRollouts(now: () => number): (ask: Ask) => Promise<Followed> {
  let kept: { readonly until: number; readonly read: Promise<Followed> } | undefined;
  return async (ask) => {
    if (!kept || kept.until <= now()) kept = { until: now() + KEPT_MS, read: readFollowed(ask) };
    const { read } = kept;
    const rollouts = await read;
    if (rollouts.kind === 'unavailable' && kept?.read === read) kept = undefined;
    return rollouts;
  };
}
