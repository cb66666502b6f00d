import type { Connector } from '../../../../shared/config/connector-config.ts';
import { EXAMPLE_SHOP } from '../../../../shared/config/new-shop.ts';
import { settingsFileOf } from '../../../../shared/config/settings-file.ts';
import { readControl } from '../../../../shared/core/calls/shop-pause.ts';
import { withGoLive } from '../../../../shared/core/mapping/wanted-state.ts';
import { type Deployment, openLedger } from '../session/deployment.ts';
import { utcText } from '../terminal/text.ts';
import {
  type Check,
  type Finding,
  fail,
  forEachShop,
  info,
  pass,
  type ShopDeps,
  warn,
} from './check.ts';

type Settings = Pick<Deployment, 'where' | 'stage' | 'connector' | 'settingsFile'>;

/** Reading the settings has checked each one; this finds what no check of a single setting can see. */
export function settingsCheck({ where, stage, connector, settingsFile }: Settings): Check {
  const file = settingsFileOf(stage);
  return {
    name: 'settings',
    async look() {
      // On this machine the sandboxes answer for them.
      const found = where === 'aws' ? judgeAddresses(file, connector) : [];
      if (found.some(({ verdict }) => verdict === 'fail')) return found;
      const shops = connector.shops.map(({ domain }) => domain).join(', ');
      // `npm start` runs with the copy that it made.
      const when = settingsFile === undefined ? '' : ', as read at the start,';
      return [pass(`${file}${when} is valid: ${shops}`), ...found];
    },
  };
}

function judgeAddresses(file: string, { loyalty, shops }: Connector): readonly Finding[] {
  const { hostname, protocol } = new URL(loyalty.address);
  const examples = shops.flatMap(({ domain }, index) => (domain === EXAMPLE_SHOP ? [index] : []));
  return [
    ...(/(^|\.)example\.(com|org|net)$/.test(hostname)
      ? [
          fail(
            `${file}: loyalty.address is still the example's (${hostname})`,
            "Set the loyalty service's address and deploy.",
          ),
        ]
      : []),
    ...examples.map((index) =>
      fail(
        `${file}: shops[${index}].domain is still the example's (${EXAMPLE_SHOP})`,
        "Set the shop's permanent domain and deploy.",
      ),
    ),
    ...(protocol === 'https:'
      ? []
      : [
          warn(
            `${file}: loyalty.address is not https: credentials and customer data are sent as plain text`,
            'Set its https address and deploy.',
          ),
        ]),
  ];
}

const OTHER_IDS = { name: 'the name (#1001)', number: 'the number (1001)' } as const;

/** The moment decides which orders are history, and its default is in no file. */
export function goLiveCheck({ shops, deployment }: ShopDeps): Check {
  return {
    name: 'go-live',
    look: forEachShop(shops, async ({ domain, rules, mode, otherOrderIds }) => {
      const ledger = openLedger(deployment);
      const { goLive: recorded, takeover } = await readControl(ledger, domain);
      const { goLive } = await withGoLive(rules, recorded, ledger);
      const kept = recorded === undefined ? 'when the stack was created' : 'kept in the ledger';
      const source = rules.goLive === undefined ? kept : 'rules.goLive';
      const since = info(
        `since ${goLive && utcText(goLive)} UTC (${source}); older orders are history`,
      );
      const forms = otherOrderIds.map((form) => OTHER_IDS[form]).join(', ') || 'no other id';
      const assumed = info(
        `assumed: another integration names orders by the store's id and ${forms} (otherOrderIds)`,
      );
      return mode === 'observe' || takeover ? [since, assumed] : [since];
    }),
  };
}
