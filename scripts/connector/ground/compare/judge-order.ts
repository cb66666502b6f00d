import { fromThousandths } from '../../../../shared/core/ledger/service-order.ts';
import { faultText, type Mapped } from '../../../../shared/core/mapping/wanted-state.ts';
import {
  type Figures,
  figuresOfService,
  figuresOfStore,
  isOtherAmount,
} from '../../../../shared/core/reconcile/compare-sides.ts';
import { minorDigits } from '../../../../shared/store/money.ts';
import { orderIn, type Sides, SKIPS } from './sides.ts';

/** How what we would have the service hold of an order compares with what it holds, and whether that is well. */
export const ORDER_VERDICTS = {
  same: 'well',
  'not counted by us': 'well',
  'other amount': 'action required',
  /** It would be sent. */
  absent: 'waits',
  /** Under two ids. */
  twice: 'action required',
  'not known': 'not known',
} as const;

type OrderVerdict = keyof typeof ORDER_VERDICTS;

/** Amounts are in thousandths and count for points: less refunds, and nothing of an order that ended. */
export interface JudgedOrder {
  readonly id: string;
  /** `#1007`; the id where the store does not say it. */
  readonly name: string;
  readonly currency: string | undefined;
  /** ISO 8601. */
  readonly placedAt: string | undefined;
  readonly verdict: OrderVerdict;
  /** The same for all that are alike. */
  readonly reason: string;
  /** Undefined where it is not known, or we would not count the order. */
  readonly planned: number | undefined;
  /** Of all copies; undefined where the service does not have it. */
  readonly held: number | undefined;
  readonly heldId: string | undefined;
  /** Of each copy, where the service has it from. */
  readonly origins: readonly (number | undefined)[];
  /** Store or service did not answer. */
  readonly isUnread: boolean;
}

export function judgeOrder(sides: Sides): JudgedOrder {
  const { key, entry, store, held: answer, copies, assumptions } = sides;
  const order = orderIn(store);
  const read = copies.map((copy) => {
    const held = { ...copy, kind: 'order' } as const;
    const figures = figuresOfService({ held, entry, assumptions });
    return { id: copy.id, state: figures?.state, counts: countsIn(figures) };
  });
  const planned = plannedOf(sides);
  const held = read.reduce((sum, { counts }) => sum + counts, 0);
  return {
    ...{ id: key.id, name: order?.name || key.id, currency: order?.currency },
    ...{ placedAt: order?.placedAt, held: read[0] && held, heldId: read[0]?.id },
    planned: typeof planned === 'number' ? planned : undefined,
    origins: copies.map((copy) => copy.order.Origin),
    isUnread: store.kind === 'unavailable' || answer.kind === 'unknown',
    ...verdictOf(sides, planned, read),
  };
}

const countsIn = ({ state, amount = 0 }: Figures = {}): number =>
  state === 'completed' ? amount : 0;

type Skip = Extract<Mapped, { kind: 'skip' }>['why'];

/** What counts, or why nothing does. Undefined: not known. */
function plannedOf({ mapped }: Sides): number | Skip | undefined {
  if (!mapped || mapped.kind === 'fault') return undefined;
  if (mapped.kind === 'skip') return mapped.why === 'never-sent' ? 0 : mapped.why;
  const figures = figuresOfStore(mapped.wanted);
  return figures?.state === 'pending' ? 'pending' : countsIn(figures);
}

function verdictOf(
  { key, mapped, held }: Sides,
  planned: number | Skip | undefined,
  copies: readonly { id: string; state: Figures['state']; counts: number }[],
): Pick<JudgedOrder, 'verdict' | 'reason'> {
  const say = (verdict: OrderVerdict, reason: string) => ({ verdict, reason });
  if (held.kind === 'unknown') return say('not known', `the service did not say: ${held.why}`);
  if (mapped?.kind === 'fault') return say('not known', `the rules fail: ${faultText(mapped)}`);
  if (planned === undefined) return say('not known', 'the store did not say');
  if (copies.filter(({ state }) => state !== 'cancelled').length > 1) {
    return say('twice', "it is there under two ids: cancel the one that is not the store's");
  }
  if (typeof planned === 'string') return say('not counted by us', SKIPS[planned]);
  const [copy] = copies;
  if (planned === 0 && !copy?.counts) return say('same', 'nothing of it counts');
  if (!copy) return say('absent', 'the service does not have it');
  if (!isOtherAmount(planned, copy.counts)) {
    return say('same', copy.id === key.id ? "under the store's id" : 'under another id');
  }
  if (copy.state === 'cancelled') return say('other amount', 'it is cancelled in the service');
  if (copy.state === 'pending') return say('other amount', 'it is not complete in the service');
  if (planned === 0) return say('other amount', 'it has ended in the store');
  return say('other amount', `the service counts ${copy.counts > planned ? 'more' : 'less'}`);
}

/** What the service counts too much; what we would not count is left out. */
export const differenceOf = ({ planned, held = 0 }: JudgedOrder): number | undefined =>
  planned === undefined ? undefined : held - planned;

const HEADER = 'id,name,planned,held,held id,origin,verdict,difference';

/** One line for each order, without personal data. */
export function csvOf(orders: readonly JudgedOrder[]): string {
  const lines = orders.map((order) => {
    const { id, name, currency, planned, held, heldId, origins, verdict } = order;
    const amount = (value: number | undefined) =>
      value === undefined ? '' : fromThousandths(value).toFixed(minorDigits(currency ?? ''));
    const [origin = ''] = origins;
    const amounts = [amount(planned), amount(held), heldId ?? '', origin];
    return [id, name, ...amounts, verdict, amount(differenceOf(order))].map(csvCell).join(',');
  });
  return `${[HEADER, ...lines].join('\n')}\n`;
}

const AMOUNT = /^-?\d+(?:\.\d+)?$/;

/** A spreadsheet runs a cell that begins with one of these, and takes `;` for a separator in some languages. */
const FORMULA = /(^|;)(?=[=+\-@\t\r])/g;

function csvCell(value: string | number): string {
  const given = String(value);
  const text = AMOUNT.test(given) ? given : given.replaceAll(FORMULA, "$1'");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
