import { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { findShop } from '../arguments/find-shop.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { BadArguments, Problem } from '../problem.ts';
import type { Session } from '../session.ts';

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
      'Without it nobody can redeem a reward in the store.',
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
