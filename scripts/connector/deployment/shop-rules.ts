import type { Shop } from '../../../shared/config/connector-config.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { withGoLive } from '../../../shared/core/mapping/wanted-state.ts';

/** The rules that the workers use for a shop, with the moment of go-live. */
export async function rulesOf(
  { domain, rules }: Pick<Shop, 'domain' | 'rules'>,
  ledger: Pick<Ledger, 'readMany' | 'createdAt'>,
): Promise<Shop['rules']> {
  const { goLive } = await readControl(ledger, domain);
  return withGoLive(rules, goLive, ledger);
}
