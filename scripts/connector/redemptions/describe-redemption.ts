import type { Redemption } from '../../../shared/core/redeem/redemption.ts';
import { relativeTime } from '../terminal/relative-time.ts';
import type { Table } from '../terminal/table.ts';

export interface FoundRedemption {
  readonly customerId: string;
  readonly redemption: Redemption;
}

/** One word for where it stands, and what that means for whoever reads it. */
export function describeState({ state }: Redemption): {
  readonly word: string;
  readonly detail: string;
  /** Nothing will happen until a person acts. */
  readonly waitsForPerson: boolean;
} {
  switch (state.at) {
    case 'intended':
    case 'calling':
      return { word: 'under way', detail: '', waitsForPerson: false };
    case 'unknown':
      return {
        word: 'pending',
        detail: `It is not known whether the points were spent (${state.why}).`,
        waitsForPerson: true,
      };
    case 'redeemed':
      return { word: 'making', detail: 'The code is being made.', waitsForPerson: false };
    case 'lost':
      return { word: 'lost', detail: `The points are spent; ${state.why}.`, waitsForPerson: true };
    case 'compensating':
      return { word: 'compensating', detail: '', waitsForPerson: false };
    case 'refused':
    case 'ready':
    case 'used':
    case 'compensated':
      return { word: state.at, detail: '', waitsForPerson: false };
  }
}

export function redemptionsTable(found: readonly FoundRedemption[], now: Date): Table {
  return {
    columns: [
      { title: 'CUSTOMER' },
      { title: 'REDEMPTION' },
      { title: 'REWARD', shrinks: true },
      { title: 'POINTS', align: 'right' },
      { title: 'STATE' },
      { title: 'SINCE' },
      { title: 'CODE', shrinks: true },
    ],
    rows: found.map(({ customerId, redemption }) => [
      customerId,
      redemption.id,
      `${redemption.rewardId} ${redemption.terms.title}`,
      String(redemption.terms.points),
      describeState(redemption).word,
      relativeTime(Date.parse(redemption.since), now),
      codeOf(redemption) ?? '-',
    ]),
    details: found.map(({ redemption }) => describeState(redemption).detail),
  };
}

export function redemptionDocument({ customerId, redemption }: FoundRedemption) {
  const { id, rewardId, terms, intendedAt, since, spentBy } = redemption;
  return {
    customer: customerId,
    id,
    reward: { id: rewardId, title: terms.title, points: terms.points },
    state: describeState(redemption).word,
    intendedAt,
    since,
    code: codeOf(redemption) ?? null,
    pointEvent: spentBy ?? null,
  };
}

function codeOf({ state }: Redemption): string | undefined {
  return 'code' in state ? state.code.code : undefined;
}
