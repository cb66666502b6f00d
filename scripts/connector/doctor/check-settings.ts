import { relative, resolve } from 'node:path';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { findProject } from '../../../shared/config/folders.ts';
import { settingsFileOf } from '../../../shared/config/settings-file.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { withGoLive } from '../../../shared/core/mapping/wanted-state.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { type Finding, fail, info, pass } from './finding.ts';

const EXAMPLE_SHOP = 'example-store.myshopify.com';

/** Reading the settings has checked each one; this finds what no check of a single setting can see. */
export function checkSettings({
  where,
  stage,
  connector,
  settingsFile,
}: Pick<Deployment, 'where' | 'stage' | 'connector' | 'settingsFile'>): readonly Finding[] {
  const file = settingsFileOf(stage);
  const examples: Finding[] = [];
  const { hostname } = new URL(connector.loyalty.address);
  if (/(^|\.)example\.(com|org|net)$/.test(hostname)) {
    const what = `${file}: loyalty.address is still the example's (${hostname})`;
    examples.push(fail(what, "Set the loyalty service's address and deploy."));
  }
  for (const [index, { domain }] of connector.shops.entries()) {
    if (domain !== EXAMPLE_SHOP) continue;
    const what = `${file}: shops[${index}].domain is still the example's (${domain})`;
    examples.push(fail(what, "Set the shop's permanent domain and deploy."));
  }
  // On this machine the sandboxes answer for them.
  if (where === 'aws' && examples.length > 0) return examples;
  const shops = connector.shops.map(({ domain }) => domain).join(', ');
  const read =
    settingsFile === undefined
      ? file
      : relative(findProject(), resolve(findProject(), settingsFile));
  const copyOf = read === file ? '' : `, the copy of ${file} that "npm start" runs with,`;
  return [pass(`${read}${copyOf} is valid: ${shops}`)];
}

/** The moment decides which orders are history, and its default is in no file. */
export async function checkGoLive(
  shops: readonly Shop[],
  ledger: Pick<Ledger, 'readMany' | 'createdAt'>,
): Promise<readonly Finding[]> {
  return Promise.all(
    shops.map(async ({ domain, rules }) => {
      const { goLive: recorded } = await readControl(ledger, domain);
      const { goLive } = await withGoLive(rules, recorded, ledger);
      const kept = recorded === undefined ? 'when the stack was created' : 'kept in the ledger';
      const source = rules.goLive === undefined ? kept : 'rules.goLive';
      return info(`${domain}: since ${goLive} (${source}); older orders are history`);
    }),
  );
}
