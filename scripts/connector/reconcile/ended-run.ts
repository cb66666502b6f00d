import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { type FoundByReading, readFindings } from '../../../shared/core/reconcile/deep-scan.ts';
import { quietUntil } from '../../../shared/core/reconcile/dependencies.ts';
import {
  type LastReconcile,
  readLastReconcile,
  sumOf,
} from '../../../shared/core/reconcile/last-reconcile.ts';

/** The run of one shop that a command asked for. */
export interface EndedRun {
  readonly shop: string;
  /** Undefined: it has not ended. */
  readonly last: LastReconcile | undefined;
  /** What the newest deep walk found by reading orders from the loyalty service. */
  readonly read: FoundByReading | undefined;
}

export async function readEnded(
  ledger: Pick<Ledger, 'readMany'>,
  asked: {
    readonly domains: readonly string[];
    readonly request: string;
    readonly askedAt: Date;
  },
): Promise<readonly EndedRun[]> {
  return Promise.all(
    asked.domains.map(async (shop) => {
      const [last, [read]] = await Promise.all([
        readLastReconcile(ledger, shop),
        readFindings(ledger, shop),
      ]);
      // A run of the schedule that began later replaces the record, and says the same.
      const isOurs =
        last?.request === asked.request ||
        (last !== undefined && Date.parse(last.beganAt) > asked.askedAt.getTime());
      return { shop, last: isOurs ? last : undefined, read };
    }),
  );
}

interface DescribedRun {
  readonly shop: string;
  readonly what: string;
  /** A command, without `npx loyalty-connector`. */
  readonly next?: string;
  /** Everything that was asked for was compared. */
  readonly isWhole: boolean;
}

/** The end of a run in a sentence: `in sync: 37 orders.` */
export function describeRun({ shop, last, read }: EndedRun, isDeep: boolean): DescribedRun {
  if (!last) {
    return { shop, what: 'the comparison has not ended yet.', next: 'status', isWhole: false };
  }
  const { lookedAt, healed, rolledOut, stopped, deep } = last;
  const [first] = stopped;
  if (first) {
    const what = `not everything was compared (${first.kind}s: ${first.why}); the next run goes on there.`;
    return { shop, what, next: 'status', isWhole: false };
  }
  const sent = { order: 0, product: 0, coupon: 0 };
  for (const kind of KINDS) sent[kind] = healed[kind] + rolledOut[kind];
  // A deep walk meets an order in the store, in the ledger, and among the latest changes.
  const compared = `${countsText(lookedAt)}${isDeep ? ', each counted as often as it was compared' : ''}`;
  const isWhole = !isDeep || deep?.stopped === undefined;
  const more = isWhole
    ? ''
    : ` The deep comparison goes on in the next run (${deep?.stopped?.why}).`;
  const until = new Date(quietUntil(new Date(last.beganAt))).toISOString().slice(11, 16);
  const rest = ` What changed after ${until} UTC was left to its webhooks, which may still come.${more}`;
  const [differing] = read?.ids ?? [];
  if (isDeep && differing !== undefined) {
    const what = `compared: ${compared}. Orders that differ in the loyalty service: ${read?.differing}.${rest}`;
    return { shop, what, next: `compare order ${differing} --shop ${shop}`, isWhole };
  }
  if (sumOf(sent) > 0) {
    const what = `compared: ${compared}. Sent again, because the ledger had another state: ${countsText(sent)}.${rest}`;
    return { shop, what, next: `healing --shop ${shop}`, isWhole };
  }
  if (sumOf(lookedAt) === 0) {
    return {
      shop,
      what: `in sync: the store has changed nothing since the last run.${rest}`,
      isWhole,
    };
  }
  return { shop, what: `in sync: ${compared}.${rest}`, isWhole };
}

const KINDS = ['order', 'product', 'coupon'] as const;

/** `37 orders, 1 product` */
function countsText(counts: LastReconcile['lookedAt']): string {
  return KINDS.filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind]} ${kind}${counts[kind] === 1 ? '' : 's'}`)
    .join(', ');
}
