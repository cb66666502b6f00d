import {
  type AskingDeps,
  askLoyalty,
  type TimedCache,
  type Unavailable,
} from '../../core/calls/call-loyalty.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import type { Rewards, RewardView, WhyNot } from '../../store/storefront-answers.gen.ts';
import {
  type AvailableReward,
  type AvailableRewards,
  cannotUse,
  cashbackRange,
} from '../redeem/available-rewards.ts';
import {
  limitsCredit,
  meaningOf,
  productDiscount,
  type RewardTypes,
  validDaysOf,
} from '../redeem/find-offer.ts';
import { creditEndDay, type Redemption, viewOf } from '../redeem/redemption.ts';

export interface RewardsDeps extends AskingDeps {
  readonly rewardTypes: RewardTypes;
  readonly loyalty: Pick<LoyaltyClient, 'listRewardConfigurations' | 'getRewardConfiguration'>;
  /** The same for every customer. */
  readonly active: TimedCache<readonly RewardItem[]>;
  readonly detailsOfRewards: TimedCache<RewardDetails>;
}

/** What only the whole configuration of a reward says. */
export interface RewardDetails {
  /** The names of the tiers that it is for; none where it is for every tier. */
  readonly tiers: readonly string[];
  /** Its cashback cannot become store credit. */
  readonly limitsCredit: boolean;
  readonly validDays: number | undefined;
}

export type RewardItem = components['schemas']['RewardConfigurationItem'];

const listed = (rewards: readonly RewardView[]): Rewards => ({ rewards, retryAfterSeconds: null });

export const notListed = ({ afterSeconds }: Unavailable): Rewards => ({
  rewards: null,
  retryAfterSeconds: afterSeconds,
});

/** Where the service offers nothing to this visitor: the program's rewards, with one reason. */
export function viewForAll(
  active: ActiveRewards,
  why: Parameters<typeof viewUnoffered>[1],
  { rewardTypes }: RewardsDeps,
): Rewards {
  return active.kind === 'answered'
    ? listed(viewUnoffered(active.value, why, rewardTypes))
    : notListed(active);
}

export async function viewRewards(
  offered: AvailableRewards,
  program: ActiveRewards,
  ownTier: string | undefined,
  redemptions: readonly Redemption[],
  deps: RewardsDeps,
): Promise<Rewards> {
  const active = program.kind === 'answered' ? program.value : [];
  const open = new Set(
    redemptions
      .flatMap((one) => viewOf(one) ?? [])
      .filter(({ state }) => state === 'pending' || state === 'making')
      .map(({ rewardId }) => rewardId),
  );
  const circumstances = { active, open, rewardTypes: deps.rewardTypes };
  const views = viewOffered(offered, circumstances);
  const isCredit = ({ kind, redeemable }: RewardView) => kind === 'store-credit' && redeemable;
  const credits = views.filter(isCredit).map(({ id }) => id);
  const others = unexplained(views, active).filter((id) => !credits.includes(id));
  const details = await readDetailsOf([...credits, ...others], deps);
  const tiersOf = new Map(others.map((id) => [id, details.get(id)?.tiers ?? []]));
  const shown = views.map((view) =>
    isCredit(view) ? viewOfCredit(view, details.get(view.id) ?? NO_DETAILS, deps.now()) : view,
  );
  return listed(withOtherTiers(shown, tiersOf, ownTier, circumstances));
}

/** Nobody takes credit whose end is not shown. */
function viewOfCredit(view: RewardView, details: RewardDetails, now: Date): RewardView {
  const cannot = (why: WhyNot) => ({ ...view, redeemable: false, why });
  if (details === NO_DETAILS) return cannot('not-available');
  if (details.limitsCredit) return cannot('not-online');
  const validUntil = creditEndDay(details.validDays, now).toISOString();
  return { ...view, cashback: view.cashback && { ...view.cashback, validUntil } };
}

/** Active rewards that the service offers no customer of this page: none can be redeemed, for one reason. */
export function viewUnoffered(
  items: readonly RewardItem[],
  why: 'not-logged-in' | 'not-a-member' | 'another-member',
  rewardTypes: RewardTypes,
): readonly RewardView[] {
  return items.flatMap((item) => {
    const view = viewOfReward(item, { Rewards: [] }, rewardTypes);
    if (!view) return [];
    const isOnline = meaningOf(item.RewardType, rewardTypes) !== 'custom';
    const description = item.Description ?? '';
    return [{ ...view, description, redeemable: false, why: isOnline ? why : 'not-online' }];
  });
}

interface Circumstances {
  readonly rewardTypes: RewardTypes;
  /** Only this list has descriptions; empty while the service does not give it. */
  readonly active: readonly RewardItem[];
  /** The rewards of redemptions that are under way: a second click would join them. */
  readonly open: ReadonlySet<number>;
}

export function viewOffered(
  offered: AvailableRewards,
  { rewardTypes, active, open }: Circumstances,
): readonly RewardView[] {
  const descriptions = new Map(active.map(({ Id, Description }) => [Id, Description]));
  return offered.Rewards.flatMap((reward) => {
    const view = viewOfReward(reward, offered, rewardTypes);
    if (!view) return [];
    const shown = { ...view, description: descriptions.get(view.id) ?? '' };
    return [open.has(view.id) ? { ...shown, redeemable: false, why: 'pending' } : shown];
  });
}

/** Those that the service does not offer, or not for a reason that it names. */
export function unexplained(
  offered: readonly RewardView[],
  active: readonly RewardItem[],
): readonly number[] {
  const explained = offered.filter(({ why }) => why !== 'not-available').map(({ id }) => id);
  return active.flatMap(({ Id }) => (Id === undefined || explained.includes(Id) ? [] : [Id]));
}

/** With the rewards of other tiers, which the service does not offer. For others it gives no reason: they are left out. */
export function withOtherTiers(
  offered: readonly RewardView[],
  tiersOf: ReadonlyMap<number, readonly string[]>,
  ownTier: string | undefined,
  { active, rewardTypes }: Pick<Circumstances, 'active' | 'rewardTypes'>,
): readonly RewardView[] {
  const barred = ({ id }: Pick<RewardView, 'id'>) => {
    const tiers = tiersOf.get(id) ?? [];
    const isBarred = tiers.length > 0 && !tiers.includes(ownTier ?? '');
    return isBarred ? ({ redeemable: false, why: 'other-tier', tiers } as const) : undefined;
  };
  const absent = viewUnoffered(
    active.filter((item) => !offered.some(({ id }) => id === item.Id)),
    'not-a-member',
    rewardTypes,
  );
  return [
    ...offered.map((one) => ({ ...one, ...barred(one) })),
    ...absent.flatMap((one) => {
      const why = barred(one);
      return why ? [{ ...one, ...why }] : [];
    }),
  ];
}

function viewOfReward(
  reward: AvailableReward,
  offered: AvailableRewards,
  rewardTypes: RewardTypes,
): RewardView | undefined {
  const { Id: id, Points: points = 0 } = reward;
  if (id === undefined) return undefined;
  const { why: unusable, ...gift } = giftOf(reward, offered, rewardTypes);
  const why = cannotUse(reward) ?? unusable ?? null;
  const missing = points - (offered.AvailablePoints ?? points);
  return {
    id,
    title: reward.Title ?? '',
    description: '',
    points,
    ...gift,
    redeemable: why === null,
    why,
    missingPoints: why === 'too-few-points' && missing > 0 ? Math.round(missing * 100) / 100 : null,
    tiers: [],
    requirements: reward.Requirements?.trim() || null,
  };
}

/** `why` says why it cannot be redeemed although the service allows it. */
function giftOf(
  reward: AvailableReward,
  offered: AvailableRewards,
  rewardTypes: RewardTypes,
): Pick<RewardView, 'kind' | 'value' | 'product' | 'cashback'> & { readonly why?: WhyNot } {
  const none = { value: 0, product: null, cashback: null };
  const meaning = meaningOf(reward.RewardType, rewardTypes);
  switch (meaning) {
    case 'percent':
    case 'fixed':
      return { ...none, kind: meaning, value: reward.Value ?? 0 };
    case 'free-shipping':
      return { ...none, kind: meaning };
    case 'cashback':
    case 'store-credit': {
      const cashback = cashbackRange(reward, offered) ?? null;
      return { ...none, kind: meaning, cashback, ...(!cashback && { why: 'no-cashback' }) };
    }
    case 'product': {
      const discount = productDiscount(reward);
      const product = reward.ProductDisplayName ?? null;
      if (!discount) return { ...none, kind: 'other', product, why: 'not-online' };
      const { kind, value } = discount;
      return { ...none, kind, value, product: discount.product.name };
    }
    case 'custom':
      return { ...none, kind: 'other', why: 'not-online' };
  }
}

const PAGE_SIZE = 50;
/** A page of the store shows at most a hundred, and more calls would take too long. */
const MOST_PAGES = 2;

type ActiveRewards =
  | { readonly kind: 'answered'; readonly value: readonly RewardItem[] }
  | Unavailable;

export async function readActive(deps: RewardsDeps): Promise<ActiveRewards> {
  const known = deps.active.recall('');
  if (known) return { kind: 'answered', value: known };
  const items: RewardItem[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const asked = await askLoyalty(
      'listRewardConfigurations',
      [{ IsActive: true, PageNumber: page, PageSize: PAGE_SIZE }],
      deps,
    );
    if (asked.kind === 'unavailable') return asked;
    // The service has an error for a program without rewards.
    if (asked.kind === 'refused') {
      deps.telemetry.log('warn', 'the loyalty service listed no rewards', {
        why: asked.name ?? 'unnamed-error',
      });
      break;
    }
    items.push(...asked.value.Items.filter(({ IsActive }) => IsActive !== false));
    if (!asked.value.HasNextPage) break;
  }
  deps.active.keep('', items);
  return { kind: 'answered', value: items };
}

/** A page waits for no more; the next one asks for the rest. */
const MOST_ASKED = 5;
const FAILED_SECONDS = 60;

/** While the service does not say. */
const NO_DETAILS: RewardDetails = { tiers: [], limitsCredit: false, validDays: undefined };

/**
 * Of store credit on offer, and of rewards that the service does not offer: it gives no reason for those of another
 * tier. Asked for only with ids that the service listed.
 */
export async function readDetailsOf(
  rewardIds: readonly number[],
  deps: RewardsDeps,
): Promise<ReadonlyMap<number, RewardDetails>> {
  const recall = (id: number) => deps.detailsOfRewards.recall(String(id));
  const unknown = rewardIds.filter((id) => !recall(id));
  await Promise.all(unknown.slice(0, MOST_ASKED).map((id) => readDetails(id, deps)));
  return new Map(rewardIds.map((id) => [id, recall(id) ?? NO_DETAILS]));
}

async function readDetails(id: number, deps: RewardsDeps): Promise<void> {
  const asked = await askLoyalty('getRewardConfiguration', [id], deps);
  if (asked.kind === 'unavailable') {
    // A reward that the service cannot read must not open the circuit breaker with every page.
    return deps.detailsOfRewards.keep(String(id), NO_DETAILS, FAILED_SECONDS);
  }
  const configuration = asked.kind === 'answered' ? asked.value : {};
  const tiers = (configuration.Tiers ?? []).flatMap(({ Name, IsActive }) =>
    Name && IsActive !== false ? [Name] : [],
  );
  deps.detailsOfRewards.keep(String(id), {
    tiers,
    limitsCredit: limitsCredit(configuration),
    validDays: validDaysOf(configuration),
  });
}
