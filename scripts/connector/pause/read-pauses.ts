import {
  controlIn,
  controlKey,
  type PausedPart,
  type PauseWhy,
  type ShopControl,
} from '../../../shared/core/calls/shop-pause.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';

/** A pause that lasts. */
export type PauseStatus = {
  readonly shop: string;
  /** ISO 8601. */
  readonly since: string;
} & (
  | { readonly by: 'operator'; readonly part: PausedPart; readonly who: string }
  | { readonly by: 'service'; readonly why: PauseWhy; readonly until: string }
);

export async function readPauses(
  ledger: Pick<Ledger, 'readMany'>,
  shops: readonly { readonly domain: string }[],
  now: Date,
): Promise<readonly PauseStatus[]> {
  const keys = shops.map(({ domain }) => controlKey(domain));
  const entries = await ledger.readMany(keys);
  return keys.flatMap((key) => pausesIn(key.shop, controlIn(entries.get(ledgerKeyText(key))), now));
}

export function pausesIn(
  shop: string,
  { operator, service }: ShopControl,
  now: Date,
): readonly PauseStatus[] {
  const date = (moment: number) => new Date(moment).toISOString();
  const pauses: PauseStatus[] = Object.entries(operator).map(([part, { since, by }]) => ({
    shop,
    since: date(since),
    by: 'operator',
    part: part as PausedPart,
    who: by,
  }));
  if (service && service.until > now.getTime()) {
    const { why, since, until } = service;
    pauses.push({ shop, since: date(since), by: 'service', why, until: date(until) });
  }
  return pauses;
}

const WHY: Readonly<Record<PauseWhy, string>> = {
  throttled: 'the loyalty service asked for fewer calls',
  misconfigured: 'the loyalty service refused the credentials or the account',
};

/** `example-store.myshopify.com: orders paused since 2026-11-15 20:01 UTC by …` */
export function pauseText(pause: PauseStatus): string {
  const since = `since ${minuteOf(pause.since)}`;
  if (pause.by === 'service') {
    return `${pause.shop}: paused ${since} until ${minuteOf(pause.until)}, because ${WHY[pause.why]}`;
  }
  const what = pause.part === 'all' ? 'all calls' : pause.part;
  return `${pause.shop}: ${what} paused ${since} by ${pause.who}`;
}

/** The command that ends it, without `npx loyalty-connector`. */
export function resumeText(pause: PauseStatus): string {
  const queue = pause.by === 'operator' && pause.part !== 'all' ? ` --queue ${pause.part}` : '';
  return `resume --shop ${pause.shop}${queue}`;
}

const minuteOf = (iso: string) => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
