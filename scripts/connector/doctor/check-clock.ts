import { sandboxAddressOf } from '../../../shared/services/shop-loyalty.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { type Finding, info, pass, warn } from './finding.ts';

const TIMEOUT_MS = 10_000;

/** Reads the `Date` header of each service; any answer has one. */
export async function readClocks({
  connector,
  output,
  sandbox,
}: Deployment): Promise<readonly ClockReading[]> {
  const [shop = { domain: '' }] = connector.shops;
  const here = (addresses: string | undefined) => sandboxAddressOf(connector, shop, addresses);
  const places = {
    AWS: output('WebhookAddress'),
    'the loyalty service': here(sandbox?.loyaltyAddress) ?? connector.loyalty.address,
    'the store': here(sandbox?.storeAddress) ?? `https://${shop.domain}`,
  };
  return Promise.all(
    Object.entries(places).map(async ([whose, address]) => {
      const date = await askDate(address);
      return { whose, date, at: Date.now() };
    }),
  );
}

async function askDate(address: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(address, { method: 'HEAD', redirect: 'manual', signal });
    return answer.headers.get('date') ?? undefined;
  } catch {
    // Other checks report a service that cannot be reached.
    return undefined;
  }
}

/** One answer's `Date` header against our own clock. */
export interface ClockReading {
  readonly whose: string;
  readonly date: string | undefined;
  /** Epoch milliseconds when the answer came. */
  readonly at: number;
}

/** The header counts whole seconds, and the answer was on its way. */
const TOLERANCE_SECONDS = 30;

/** AWS refuses requests that are five minutes off, and latency is measured across clocks. */
export function judgeClock(readings: readonly ClockReading[]): readonly Finding[] {
  const skews = readings.flatMap(({ whose, date, at }) => {
    const theirs = Date.parse(date ?? '');
    return Number.isFinite(theirs) ? [{ whose, seconds: Math.round((at - theirs) / 1000) }] : [];
  });
  if (skews.length === 0) return [info('no answer had a time to compare with')];
  const off = skews.filter(({ seconds }) => Math.abs(seconds) > TOLERANCE_SECONDS);
  if (off.length === 0) return [pass(`within ${TOLERANCE_SECONDS} s of ${listOf(skews)}`)];
  return off.map(({ whose, seconds }) =>
    warn(
      `this machine's clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of ${whose}`,
      'Synchronise the clock over the network (timedatectl set-ntp true).',
    ),
  );
}

const listOf = (skews: readonly { readonly whose: string }[]) =>
  skews.map(({ whose }) => whose).join(', ');
