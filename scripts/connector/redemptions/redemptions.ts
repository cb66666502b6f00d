import { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { Shop } from '../../../shared/config/connector-config.ts';
import type { Redemption } from '../../../shared/core/redeem/redemption.ts';
import { findShop } from '../arguments.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { BadArguments, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Table } from '../terminal/table.ts';
import { relativeTime } from '../terminal/text.ts';

export interface ShopOption {
  readonly shop?: string;
}

export interface OpenRedemptions {
  readonly deployment: Deployment;
  readonly shop: Shop;
  readonly client: DynamoDB;
  readonly ledger: ReturnType<typeof openLedger>;
  readonly now: () => Date;
  readonly retentionDays: number;
}

export async function openRedemptions(
  { findDeployment }: Session,
  { shop: named }: ShopOption,
): Promise<OpenRedemptions> {
  const deployment = await findDeployment();
  const { connector } = deployment;
  if (!connector.storefront) {
    throw new Problem(
      `The settings of ${deployment.stack} have no storefront.`,
      'Rewards can be redeemed in the store only with a storefront: add storefront: {} and deploy.',
    );
  }
  return {
    deployment,
    shop: findShop(connector, named),
    client: new DynamoDB(deployment.aws),
    ledger: openLedger(deployment),
    now: () => new Date(),
    retentionDays: connector.orderRetentionDays,
  };
}

export function checkCustomer(customerId: string): string {
  if (/^\d{1,20}$/.test(customerId)) return customerId;
  throw new BadArguments("give the customer's id in the store, a number.");
}

export interface FoundRedemption {
  readonly customerId: string;
  readonly redemption: Redemption;
}

/** The state in one word, with an explanation. */
export function describeState({ state }: Redemption): {
  readonly word: string;
  readonly detail: string;
  /** Nothing happens until a person acts. */
  readonly waitsForPerson: boolean;
} {
  switch (state.at) {
    case 'intended':
    case 'calling':
      return { word: 'running', detail: '', waitsForPerson: false };
    case 'unknown':
      return {
        word: 'pending',
        detail: `It is unknown whether the points were spent (${state.why}).`,
        waitsForPerson: true,
      };
    case 'redeemed':
      return { word: 'making', detail: 'The code is being created.', waitsForPerson: false };
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
