import { createHash } from 'node:crypto';
import type { MetadataForm } from '../mapping/wanted-state.ts';
import type { RewardTerms } from './redemption.ts';

interface RedemptionNames {
  /** Twelve capital letters and digits. */
  readonly id: string;
  /** What the loyalty service knows it by, in the form of a UUID. */
  readonly key: string;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const ID_LENGTH = 12;

/**
 * A click names its redemption. So the same click redeems once even if the ledger has forgotten the first time, because
 * the service knows the key.
 */
export function namesOf(
  { shop, customerId }: { readonly shop: string; readonly customerId: string },
  clientKey: string,
): RedemptionNames {
  const text = JSON.stringify(['redemption', shop, customerId, clientKey]);
  const bytes = createHash('sha512').update(text).digest();
  const id = [...bytes.subarray(0, ID_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]);
  // Version 8: a UUID of our own making (RFC 9562).
  const hex = bytes.subarray(32, 48).toString('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return { id: id.join(''), key: [...parts, hex.slice(20)].join('-') };
}

/** What the service keeps of a redemption for a ledger that is lost. */
export interface KeptRedemption extends RedemptionNames {
  /** Several shops may share a loyalty account: the code of one is none of another. */
  readonly shop: string;
  readonly rewardId: number;
  readonly terms: RewardTerms;
}

const NAME = 'redemption';

export function keepRedemption(kept: KeptRedemption): MetadataForm {
  return { Name: NAME, Value: JSON.stringify(kept) };
}

/** Undefined for what is not a redemption of this connector and shop, or cannot be read. */
export function readKept(
  shop: string,
  metadatas: readonly MetadataForm[] | null | undefined,
): KeptRedemption | undefined {
  const { Value: text } = metadatas?.find(({ Name }) => Name === NAME) ?? {};
  try {
    const kept = JSON.parse(text ?? '') as Partial<KeptRedemption> | null;
    const { title, points, kind, value, codePrefix } = kept?.terms ?? {};
    const texts = [kept?.id, kept?.key, title, kind, codePrefix];
    const numbers = [kept?.rewardId, points, value];
    const isRead =
      kept?.shop === shop &&
      texts.every((one) => typeof one === 'string') &&
      numbers.every((one) => typeof one === 'number');
    return isRead ? (kept as KeptRedemption) : undefined;
  } catch {
    return undefined;
  }
}
