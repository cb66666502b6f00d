import type { Alarms } from '../../../shared/config/alarm-settings.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { withGoLive } from '../../../shared/core/mapping/history-mark.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { type Finding, fail, info, pass, warn } from './finding.ts';

/** Reading the settings has checked each one; this finds what no check of a single setting can see. */
export function checkSettings({ where, stage, connector }: Deployment): readonly Finding[] {
  const file = stage === 'prod' ? 'connector.config.ts' : `connector.config.${stage}.ts`;
  const { hostname } = new URL(connector.loyalty.address);
  if (where === 'aws' && /(^|\.)example\.(com|org|net)$/.test(hostname)) {
    const what = `${file}: loyalty.address is still the example's (${hostname})`;
    return [fail(what, "Set the loyalty service's address and deploy.")];
  }
  const shops = connector.shops.map(({ domain }) => domain).join(', ');
  return [pass(`${file} is valid: ${shops}`)];
}

/** The moment decides which orders are history, and its default is in no file. */
export async function checkGoLive(
  shops: readonly Shop[],
  ledger: Pick<Ledger, 'createdAt'>,
): Promise<readonly Finding[]> {
  return Promise.all(
    shops.map(async ({ domain, rules }) => {
      const { goLive } = await withGoLive(rules, ledger);
      const source = rules.goLive === undefined ? 'when the stack was created' : 'rules.goLive';
      return info(`${domain}: since ${goLive} (${source}); older orders are history`);
    }),
  );
}

/** Only the SNS console shows whether an address has confirmed its subscription. */
export function checkAlarms({ emails }: Alarms): readonly Finding[] {
  return emails.length > 0
    ? [pass(`go to ${emails.length} addresses, each of which must have confirmed its subscription`)]
    : [warn('alarms.emails is empty: alarms notify no one', 'Add an address and deploy.')];
}
