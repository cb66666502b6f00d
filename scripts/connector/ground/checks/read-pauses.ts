import type { Connector, Shop } from '../../../../shared/config/connector-config.ts';
import {
  controlIn,
  controlKey,
  isOver,
  type OperatorPause,
  type PausedPart,
  type PauseWhy,
  type ShopControl,
} from '../../../../shared/core/calls/shop-pause.ts';
import type { QueueFamily } from '../../../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import { type Deployment, openLedger } from '../session/deployment.ts';
import type { ShownFinding, Suggestion } from '../terminal/document.ts';
import { line } from '../terminal/line.ts';
import { personOf, utcText } from '../terminal/text.ts';
import { type Check, type Finding, fail, pass, warn } from './check.ts';
import type { WaitingInShop } from './waiting-messages.ts';

export type PauseStatus = {
  readonly shop: string;
  /** ISO 8601. */
  readonly since: string;
} & (
  | {
      readonly by: 'operator';
      readonly part: PausedPart;
      readonly who: string;
      readonly because?: string;
      readonly until?: string;
    }
  | { readonly by: 'service'; readonly why: PauseWhy; readonly until: string }
  /** Its settings say live, and it was observed before. */
  | { readonly by: 'go-live'; readonly until?: never }
);

export async function readPauses(
  ledger: Pick<Ledger, 'readMany'>,
  shops: readonly PausedShop[],
  now: Date,
): Promise<readonly PauseStatus[]> {
  const controls = await readControls(ledger, shops);
  return controls.flatMap(({ shop, control }) => pausesIn(shop, control, now));
}

type PausedShop = Pick<Shop, 'domain' | 'mode'>;

async function readControls(ledger: Pick<Ledger, 'readMany'>, shops: readonly PausedShop[]) {
  const keyOf = ({ domain }: PausedShop) => controlKey(domain);
  const entries = await ledger.readMany(shops.map(keyOf));
  return shops.map((shop) => ({
    shop,
    control: controlIn(entries.get(ledgerKeyText(keyOf(shop)))),
  }));
}

export function pausesIn(
  { domain: shop, mode }: PausedShop,
  { operator, service, observing }: ShopControl,
  now: Date,
): readonly PauseStatus[] {
  const date = (moment: number) => new Date(moment).toISOString();
  const parts = Object.entries(operator) as [PausedPart, OperatorPause][];
  const waits = observing !== undefined && mode === 'live';
  const paused = parts
    .filter(([, pause]) => !isOver(pause, now))
    .map(
      ([part, { since, by, because, until }]): PauseStatus => ({
        ...{ shop, since: date(since), by: 'operator', part, who: by },
        ...(because !== undefined && { because }),
        ...(until !== undefined && { until: date(until) }),
      }),
    );
  const pauses: readonly PauseStatus[] = [
    ...(waits ? [{ shop, since: date(observing), by: 'go-live' } as const] : []),
    ...paused,
  ];
  if (!service || service.until <= now.getTime()) return pauses;
  const { why, since, until } = service;
  return [...pauses, { shop, since: date(since), by: 'service', why, until: date(until) }];
}

const WHY: Readonly<Record<PauseWhy, string>> = {
  throttled: 'the loyalty service asked for fewer calls',
  misconfigured: 'the loyalty service refused the credentials or the account',
};

/** `example-store.myshopify.com: orders paused since 2026-11-15 20:01 UTC until 22:01 UTC by kim, because …` */
export const pauseText = (pause: PauseStatus): string => `${pause.shop}: ${pausedText(pause)}`;

/** Where the shop is known: `orders paused since …`. */
export function pausedText(pause: PauseStatus): string {
  const { since, until } = pause;
  const time = `since ${minuteOf(since)}${until === undefined ? '' : ` until ${minuteOf(until)}`}`;
  if (pause.by === 'go-live') {
    return `waits for go-live: observed since ${minuteOf(since)}, and nothing is sent`;
  }
  if (pause.by === 'service') return `paused ${time}, because ${WHY[pause.why]}`;
  const because = pause.because === undefined ? '' : `, because: ${pause.because}`;
  return `${partText(pause.part)} paused ${time} by ${personOf(pause.who)}${because}`;
}

export const partText = (part: PausedPart): string => (part === 'all' ? 'all calls' : part);

/** Whether it stops the calls of this queue. */
export function isHolding(
  pause: PauseStatus,
  { shop, queue }: { readonly shop: string; readonly queue: QueueFamily },
): boolean {
  const part = pause.by === 'operator' ? pause.part : 'all';
  return pause.shop === shop && (part === 'all' || part === queue);
}

/** When it is tried next, in epoch milliseconds: what a pause holds at its end or later, and never while it has none. */
export function triedAt(
  wait: Parameters<typeof isHolding>[1] & { readonly until: number },
  pauses: readonly PauseStatus[],
): number {
  const ends = pauses.map((pause) => {
    if (!isHolding(pause, wait)) return wait.until;
    return pause.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(pause.until);
  });
  return Math.max(wait.until, ...ends);
}

/** What it waits for now, and why: a pause that began since, and lasts longer, holds it. */
export function heldBy(
  wait: WaitingInShop,
  pauses: readonly PauseStatus[],
): Pick<WaitingInShop, 'waitsFor' | 'why'> {
  const pause = pauses.find((one) => triedAt(wait, [one]) > wait.until);
  if (!pause || wait.waitsFor === 'planned') return wait;
  return { waitsFor: pause.by === 'service' ? pause.why : 'paused', why: 'shop-paused' };
}

export function resumeSuggestion(pause: PauseStatus): Suggestion {
  const { shop } = pause;
  const [goLive] = goLiveSuggestions(shop);
  if (pause.by === 'go-live' && goLive) return goLive;
  const part = pause.by === 'operator' ? pause.part : 'all';
  const queue = part === 'all' ? undefined : part;
  return { label: `Resume ${partText(part)}`, line: line('resume', [], { shop, queue }) };
}

/** For a shop without another integration, and for one with it. */
const goLiveSuggestions = (shop: string): readonly Suggestion[] => [
  {
    label: 'Go live',
    say: 'If no other integration ever sent its orders, to see what would be sent:',
    line: line('go-live', [], { shop, 'no-other': true }),
  },
  {
    label: 'Go live instead of another integration',
    say: 'If another one did, and has been off for at least two hours:',
    line: line('go-live', [], { shop }),
    asks: [{ name: 'other-off-since', label: 'Switched off since', type: 'date' }],
  },
];

const TO_GO_ON =
  "Compare what would be sent with what the service holds. Then set mode: 'live', deploy, and run go-live.";

/** `refused`: what to do about a pause that refused credentials began. `observed`: how observed shops are shown. */
export function pausesCheck(
  deployment: Deployment,
  refused: (pause: PauseStatus) => Suggestion = resumeSuggestion,
  observed = warn,
): Check {
  const { shops } = deployment.connector;
  return {
    name: 'pauses',
    async look() {
      const now = new Date();
      const controls = await readControls(openLedger(deployment), shops);
      const pauses = controls.flatMap(({ shop, control }) => pausesIn(shop, control, now));
      const isOnlySeen = controls.filter(({ shop }) => shop.mode === 'observe');
      const none = pass('no shop is paused', pauseSuggestion(deployment.connector));
      return [
        ...isOnlySeen.map(({ shop: { domain: shop }, control: { observing } }) => {
          const since = observing === undefined ? '' : ` since ${utcText(observing)} UTC`;
          const compare = line('compare', ['orders'], { since: '24h', shop });
          const next = { label: 'Compare what would be sent', line: compare };
          return { ...observed(`observed${since}: nothing is sent`, TO_GO_ON, next), shop };
        }),
        ...(pauses.length === 0
          ? [none]
          : pauses.map((pause) => judgePause(pause, refused(pause)))),
      ];
    },
  };
}

/** What has an end resumes by itself. While credentials are refused, their pause only follows from that. */
function judgePause(pause: PauseStatus, refused: Suggestion): Finding {
  const { shop } = pause;
  const [what, lacks] = [pausedText(pause), ['calls']];
  if (pause.by === 'go-live') {
    return { ...fail(what, ...goLiveSuggestions(shop)), shop, lacks };
  }
  if (pause.by === 'operator') {
    const judged = pause.until === undefined ? fail : warn;
    return { ...judged(what, resumeSuggestion(pause)), shop, lacks };
  }
  if (pause.why === 'throttled') return { ...warn(what), shop };
  return { ...fail(what, refused), shop, lacks, needs: ['loyalty credentials'] };
}

/** A page asks what it needs; at a terminal, options say it. */
function pauseSuggestion({
  shops,
  storefront,
}: Pick<Connector, 'shops' | 'storefront'>): Suggestion {
  const named = (names: readonly string[]) => Object.fromEntries(names.map((one) => [one, one]));
  const queues = ['orders', 'products', 'coupons', ...(storefront ? ['balances'] : [])];
  const domains = shops.map(({ domain }) => domain);
  return {
    label: 'Pause calls',
    line: line('pause'),
    asks: [
      ...(domains.length > 1
        ? [{ name: 'shop', label: 'Shop', value: '', of: named(domains) }]
        : []),
      { name: 'queue', label: 'Queue', value: '', of: named(queues) },
      { name: 'because', label: 'Reason', value: '' },
      { name: 'for', label: 'For how long: 30m, 2h', value: '' },
    ],
  };
}

export const shownPause = (pause: PauseStatus): ShownFinding => ({
  ...{ tone: 'pending', what: pauseText(pause), next: [resumeSuggestion(pause)] },
});

const minuteOf = (iso: string) => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
