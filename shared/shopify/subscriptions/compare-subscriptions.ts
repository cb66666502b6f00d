import { API_VERSION } from '../api-version.ts';
import type { ExistingSubscription, WantedSubscription } from './wanted-subscriptions.ts';

export interface SubscriptionFindings {
  readonly fine: readonly ExistingSubscription[];
  readonly missing: readonly WantedSubscription[];
  readonly wrong: readonly WrongSubscription[];
  /** To this deployment, and not wanted: another topic, a duplicate, a former path. */
  readonly extra: readonly ExistingSubscription[];
  /**
   * To this deployment, of topics that Events announce. Nothing here shows whether the Events arrive, so the
   * scheduled run leaves them: a change that comes twice is harmless, one that does not come is not.
   */
  readonly covered: readonly ExistingSubscription[];
  /** Of the same app, to another address: another stage or another program. They are left alone. */
  readonly other: readonly ExistingSubscription[];
  /** Set when webhooks to this deployment have another API version than the readers expect. */
  readonly version: { readonly handle: string; readonly retired: boolean } | undefined;
}

interface WrongSubscription {
  readonly existing: ExistingSubscription;
  readonly wanted: WantedSubscription;
  readonly differs: readonly Difference[];
}

type Difference = 'fields' | 'filter' | 'format' | 'metafields';

/**
 * `webhookAddress` is that of the deployment, without a shop's part; `ofEvents` are the topics that Events
 * announce.
 */
export function compareSubscriptions(
  wanted: readonly WantedSubscription[],
  existing: readonly ExistingSubscription[],
  webhookAddress: string,
  ofEvents: ReadonlySet<string> = new Set(),
): SubscriptionFindings {
  const [ours, other] = partition(existing, ({ uri }) => isUnder(uri, webhookAddress));
  const fine: ExistingSubscription[] = [];
  const missing: WantedSubscription[] = [];
  const wrong: WrongSubscription[] = [];
  const taken = new Set<ExistingSubscription>();
  for (const one of wanted) {
    const candidates = ours.filter(
      ({ topic, uri }) => topic === one.topic && isSameAddress(uri, one.uri),
    );
    const judged = candidates.map((existing) => ({
      existing,
      differs: differences(existing, one),
    }));
    const best = judged.find(({ differs }) => differs.length === 0) ?? judged[0];
    if (!best) {
      missing.push(one);
      continue;
    }
    taken.add(best.existing);
    if (best.differs.length === 0) fine.push(best.existing);
    else wrong.push({ ...best, wanted: one });
  }
  const unwanted = ours.filter((one) => !taken.has(one));
  const [covered, extra] = partition(unwanted, ({ topic }) => ofEvents.has(topic));
  return { fine, missing, wrong, extra, covered, other, version: versionOf(ours) };
}

/** True: there is nothing to repair. */
export function isInOrder({ missing, wrong, extra }: SubscriptionFindings): boolean {
  return missing.length + wrong.length + extra.length === 0;
}

export function differences(
  existing: ExistingSubscription,
  wanted: WantedSubscription,
): readonly Difference[] {
  const fields = existing.includeFields.toSorted().join() !== wanted.includeFields.join();
  return [
    ...(fields ? ['fields' as const] : []),
    ...(existing.filter ? ['filter' as const] : []),
    ...(existing.format === 'JSON' ? [] : ['format' as const]),
    ...(existing.metafieldNamespaces.length > 0 ? ['metafields' as const] : []),
  ];
}

function versionOf(ours: readonly ExistingSubscription[]): SubscriptionFindings['version'] {
  const versions = ours.map(({ apiVersion }) => apiVersion);
  const one = versions.find(({ supported }) => !supported) ?? versions.find(isUnexpected);
  return one && { handle: one.handle, retired: !one.supported };
}

const isUnexpected = ({ handle }: ExistingSubscription['apiVersion']) => handle !== API_VERSION;

/** A store may write an address in another form: host in capitals, a slash at the end. */
function isSameAddress(one: string, other: string): boolean {
  return one === other || (isUrl(one) && isUrl(other) && normalized(one) === normalized(other));
}

function isUnder(uri: string, address: string): boolean {
  if (!isUrl(uri) || !isUrl(address)) return false;
  return (
    normalized(uri) === normalized(address) || normalized(uri).startsWith(`${normalized(address)}/`)
  );
}

/** Pub/Sub and EventBridge have addresses of other forms. */
const isUrl = (uri: string): boolean => /^https?:/i.test(uri) && URL.canParse(uri);

function normalized(uri: string): string {
  const { origin, pathname } = new URL(uri);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

function partition<T>(all: readonly T[], fits: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(fits), all.filter((one) => !fits(one))];
}
