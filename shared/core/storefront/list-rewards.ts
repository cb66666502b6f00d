import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openBook } from '../redeem/open-book.ts';
import type { RewardKind } from '../redeem/redemption.ts';
import { viewOf as redemptionView } from '../redeem/redemption-view.ts';
import { askLoyalty, type Unavailable } from './ask-loyalty.ts';
import { readBalance } from './read-standing.ts';
import { type DetailsWorld, type Offer, readOffers } from './reward-details.ts';
import type { TimedCache } from './timed-cache.ts';

export type RewardItem = components['schemas']['RewardConfigurationItem'];

interface RewardView {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly points: number;
  readonly kind: RewardKind | 'other';
  readonly value: number;
  readonly redeemable: boolean;
  /** Why not; null where it can be redeemed. */
  readonly why: null | 'not-logged-in' | 'too-few-points' | 'pending' | 'not-available';
  readonly missingPoints: number | null;
}

export interface RewardList {
  readonly points: number | null;
  readonly rewards: readonly RewardView[];
}

export interface RewardsWorld extends DetailsWorld {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly loyalty: Pick<LoyaltyClient, 'listRewardConfigurations' | 'getRewardConfiguration'>;
  readonly retentionDays: number;
  /** The same for every customer. */
  readonly rewards: TimedCache<readonly RewardItem[]>;
}

const PAGE_SIZE = 50;
/** A page of the store shows at most a hundred, and more calls would take too long. */
const MOST_PAGES = 2;

/** The active rewards; for a customer also whether they can have them, and what is missing. */
export async function listRewards(
  shop: string,
  customerId: string | undefined,
  world: RewardsWorld,
): Promise<{ readonly kind: 'answered'; readonly value: RewardList } | Unavailable> {
  const [offered, balance, open] = await Promise.all([
    readOffered(world),
    customerId === undefined ? undefined : readBalance(shop, customerId, world.ledger),
    customerId === undefined ? undefined : readOpen(shop, customerId, world),
  ]);
  if (offered.kind === 'unavailable') return offered;
  const points = balance?.points ?? null;
  const who = open && { points, open };
  const rewards = offered.value.map((one) => viewOf(one, who));
  return { kind: 'answered', value: { points, rewards } };
}

/** The rewards of redemptions that are under way: a second click would join them. */
async function readOpen(
  shop: string,
  customerId: string,
  world: RewardsWorld,
): Promise<ReadonlySet<number>> {
  const { redemptions } = await openBook({ shop, customerId }, world).read();
  const views = redemptions.flatMap((one) => redemptionView(one) ?? []);
  return new Set(
    views
      .filter(({ state }) => state === 'pending' || state === 'making')
      .map(({ rewardId }) => rewardId),
  );
}

interface Offered {
  readonly id: number;
  readonly item: RewardItem;
  readonly kind: RewardView['kind'];
  readonly offer: Offer;
}

/** The active rewards, with what each gives. A reward of an unknown type is not asked about. */
async function readOffered(
  world: RewardsWorld,
): Promise<{ readonly kind: 'answered'; readonly value: readonly Offered[] } | Unavailable> {
  const active = await readActive(world);
  if (active.kind === 'unavailable') return active;
  const listed = active.value.flatMap((item) => {
    const { Id: id, RewardType: type } = item;
    const kind = (type === undefined ? undefined : world.rewardTypes[type]) ?? 'other';
    return id === undefined ? [] : [{ id, item, kind } as const];
  });
  const usable = listed.filter(({ kind }) => kind !== 'other').map(({ id }) => id);
  const offers = await readOffers(usable, world);
  return { kind: 'answered', value: listed.map((one) => ({ ...one, offer: offers.get(one.id) })) };
}

async function readActive(
  world: RewardsWorld,
): Promise<{ readonly kind: 'answered'; readonly value: readonly RewardItem[] } | Unavailable> {
  const known = world.rewards.recall('');
  if (known) return { kind: 'answered', value: known };
  const items: RewardItem[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const asked = await askLoyalty(
      'listRewardConfigurations',
      (options) =>
        world.loyalty.listRewardConfigurations(
          { IsActive: true, PageNumber: page, PageSize: PAGE_SIZE },
          options,
        ),
      world,
    );
    if (asked.kind === 'unavailable') return asked;
    // The service has an error for a program without rewards.
    if (asked.kind === 'refused') {
      world.telemetry.log('warn', 'the loyalty service listed no rewards', {
        why: asked.name ?? 'unnamed-error',
      });
      break;
    }
    items.push(...asked.value.Items.filter(({ IsActive }) => IsActive !== false));
    if (!asked.value.HasNextPage) break;
  }
  world.rewards.keep('', items);
  return { kind: 'answered', value: items };
}

interface Asker {
  readonly points: number | null;
  readonly open: ReadonlySet<number>;
}

function viewOf({ id, item, kind, offer }: Offered, who: Asker | undefined): RewardView {
  const cost = offer?.points ?? item.Points ?? 0;
  const why = kind === 'other' || offer === null ? 'not-available' : whyNot(id, cost, who);
  const points = who?.points ?? null;
  return {
    id,
    title: item.Title ?? '',
    description: item.Description ?? '',
    points: cost,
    kind,
    value: item.Value ?? 0,
    redeemable: why === null,
    why,
    missingPoints: points === null ? null : Math.max(roundedToHundredths(cost - points), 0),
  };
}

/** While the balance is not known, the service decides. */
function whyNot(id: number, cost: number, who: Asker | undefined): RewardView['why'] {
  if (!who) return 'not-logged-in';
  if (who.open.has(id)) return 'pending';
  return who.points !== null && who.points < cost ? 'too-few-points' : null;
}

function roundedToHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
