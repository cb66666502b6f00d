import { SecretsManager } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import type { ShopControl } from '../../../shared/core/calls/shop-pause.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { secretName } from '../../../shared/services/shop-secrets.ts';
import type { Deployment } from '../deployment/deployment.ts';

export interface FoundGoLive {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Where it comes from, in words. */
  readonly from: string;
}

/**
 * When the program of a shop began. A ledger that was lost does not say it: its table is new. The secrets of a shop stay
 * when the stack is deleted, and are as old as its first deployment.
 */
export async function findGoLive(
  deployment: Deployment,
  { domain, path, rules }: Shop,
  given: number | undefined,
  { goLive: recorded }: ShopControl,
  ledger: Pick<Ledger, 'createdAt'>,
): Promise<FoundGoLive> {
  if (rules.goLive !== undefined) return { at: Date.parse(rules.goLive), from: 'rules.goLive' };
  if (given !== undefined) return { at: given, from: '--go-live' };
  const created = await ledger.createdAt();
  // Kept from an earlier table, or given before. A new table's own record says no more than its date.
  if (recorded !== undefined && recorded < created) return { at: recorded, from: 'the ledger' };
  const made = await secretMadeAt(deployment, path);
  const known = [
    { at: created, from: "the date of the ledger's table" },
    ...(made === undefined ? [] : [{ at: made, from: `the date of the secrets of ${domain}` }]),
  ];
  return known.reduce((oldest, one) => (one.at < oldest.at ? one : oldest));
}

/** Undefined when it cannot be asked for. */
async function secretMadeAt(
  { aws, output }: Deployment,
  path: string,
): Promise<number | undefined> {
  try {
    const SecretId = secretName(output('SecretsPrefix'), path, 'loyalty');
    const { CreatedDate } = await new SecretsManager(aws).describeSecret({ SecretId });
    return CreatedDate?.getTime();
  } catch {
    // Without the right to, or without the secret, the other dates count.
    return undefined;
  }
}
