import { API_VERSION } from '../api-version.ts';
import type { ExistingSubscription, WantedSubscription } from './subscription.ts';

/** How the store's subscriptions differ from those that are wanted. */
export interface SubscriptionFindings {
  readonly fine: readonly ExistingSubscription[];
  readonly missing: readonly WantedSubscription[];
  readonly wrong: readonly WrongSubscription[];
  /** Addressed to this deployment, and not wanted: another topic, a second one, a former path. */
  readonly extra: readonly ExistingSubscription[];
  /** Of the same app, addressed elsewhere: another stage, or something that is not ours to judge. */
  readonly other: readonly ExistingSubscription[];
  /** Of those addressed here, when it is not the one that the readers are written for. */
  readonly version: { readonly handle: string; readonly retired: boolean } | undefined;
}

interface WrongSubscription {
  readonly existing: ExistingSubscription;
  readonly wanted: WantedSubscription;
  readonly differs: readonly Difference[];
}

type Difference = 'fields' | 'filter' | 'format' | 'metafields';

/** `webhookAddress` is the deployment's own, without any shop's part. */
export function compareSubscriptions(
  wanted: readonly WantedSubscription[],
  existing: readonly ExistingSubscription[],
  webhookAddress: string,
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
  const extra = ours.filter((one) => !taken.has(one));
  return { fine, missing, wrong, extra, other, version: versionOf(ours) };
}

/** True: nothing that the connector could mend by itself. */
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

/** A store may write the same address otherwise: host in capitals, a slash at the end. */
function isSameAddress(one: string, other: string): boolean {
  return one === other || (isUrl(one) && isUrl(other) && plain(one) === plain(other));
}

function isUnder(uri: string, address: string): boolean {
  if (!isUrl(uri) || !isUrl(address)) return false;
  return plain(uri) === plain(address) || plain(uri).startsWith(`${plain(address)}/`);
}

/** Queues of Google and AWS are addressed by other names. */
const isUrl = (uri: string): boolean => /^https?:/i.test(uri) && URL.canParse(uri);

function plain(uri: string): string {
  const { origin, pathname } = new URL(uri);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

function partition<T>(all: readonly T[], fits: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(fits), all.filter((one) => !fits(one))];
}
