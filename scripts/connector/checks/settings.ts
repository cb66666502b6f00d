import { relative, resolve } from 'node:path';
import type { Connector } from '../../../shared/config/connector-config.ts';
import type { Healing, LoyaltyAssumptions } from '../../../shared/config/connector-settings.ts';
import { findProject } from '../../../shared/config/folders.ts';
import type { MappingRules } from '../../../shared/config/mapping-settings.ts';
import { settingsFileOf } from '../../../shared/config/settings-file.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import { withGoLive } from '../../../shared/core/mapping/wanted-state.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
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

const EXAMPLE_SHOP = 'example-store.myshopify.com';

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
      const read =
        settingsFile === undefined
          ? file
          : relative(findProject(), resolve(findProject(), settingsFile));
      const copyOf = read === file ? '' : `, the copy of ${file} that "npm start" runs with,`;
      return [pass(`${read}${copyOf} is valid: ${shops}`), ...found];
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
            `${file}: loyalty.address is not https: credentials and customers' data go over the network as plain text`,
            'Set its https address and deploy.',
          ),
        ]),
  ];
}

/** The moment decides which orders are history, and its default is in no file. */
export function goLiveCheck({ shops, deployment }: ShopDeps): Check {
  return {
    name: 'go-live',
    look: forEachShop(shops, async ({ domain, rules }) => {
      const ledger = openLedger(deployment);
      const { goLive: recorded } = await readControl(ledger, domain);
      const { goLive } = await withGoLive(rules, recorded, ledger);
      const kept = recorded === undefined ? 'when the stack was created' : 'kept in the ledger';
      const source = rules.goLive === undefined ? kept : 'rules.goLive';
      return [info(`since ${goLive} (${source}); older orders are history`)];
    }),
  };
}

/**
 * What a setting means, where its default comes from (documented, in the sample client only, inferred, not
 * documented), and the step of `probe` that settles it. shared/config/connector-settings.ts has the full text.
 */
type Guesses<Name extends PropertyKey> = Readonly<Record<Name, string>>;

const ASSUMPTIONS: Guesses<keyof LoyaltyAssumptions> = {
  ordersAreReplaced:
    'an order sent again replaces the earlier one; inferred; probe settles it: resend',
  couponsAreReplaced:
    'a coupon sent again replaces the earlier one; not documented; probe settles it: coupon',
  completedOrdersTakeTheCancelledMark:
    'a completed order can be sent again marked as cancelled; inferred; probe settles it: cancel',
  refusedCancelledMark: 'what it means when that mark is refused (error 13); not documented',
  cancellingTwice:
    'what it means when a cancelled order is cancelled again (error 33); inferred; probe settles it: cancel',
  refunds:
    'how the amount of a completed order is lowered; documented; probe settles it: partial-cancel',
  raiseAfterPartialCancel: 'what is done when it rises after that; not documented',
  readTotals:
    'whether the total of a read order shows partial cancels; not documented; probe settles it: partial-cancel',
  usedCancelKeyError:
    'the error of a partial cancel whose key was used before; not documented; probe settles it: partial-cancel',
  redemptionsKeepMetadata:
    "whether a customer's history shows the metadata of a redemption; documented",
};

const LOYALTY: Guesses<'callsPerSecond'> = {
  callsPerSecond:
    'the most calls a second to an account, unset: no limit of the connector; not documented',
};

const RULES: Guesses<'enrolment' | 'customersWithoutEmail' | 'couponForEveryone'> = {
  enrolment:
    'unstated: the service decides whether a customer takes part; not documented; probe settles it: enrolment',
  customersWithoutEmail:
    'whether customers with neither e-mail address nor document are sent; not documented',
  couponForEveryone:
    'whether a coupon without a customer is sent; not documented; probe settles it: coupon',
};

const EVENTS: Guesses<'productChanges' | 'productTriggers'> = {
  productChanges:
    "changes of products come only if the app's configuration with its Events is released; documented",
  productTriggers:
    'the fields whose change sends an Event, unset: those that the connector sends; inferred',
};

const STOREFRONT: Guesses<'customerIdIn' | 'posCustomerId' | 'rewardTypes'> = {
  customerIdIn: "the field of a point event that holds the customer's id in the store; documented",
  posCustomerId: 'how reward operations name a customer; documented; probe settles it: customer-id',
  rewardTypes: 'compare the rewards above with their titles; in the sample client only',
};

export function assumptionsCheck(connector: Connector): Check {
  return { name: 'assumptions', look: async () => listGuesses(connector) };
}

/** Every setting that is a guess about the service or the store, with its value and grade, for a person to confirm. */
export function listGuesses({
  loyalty,
  shops,
  healing,
  storefront,
}: {
  readonly loyalty: Omit<Connector['loyalty'], 'address'>;
  readonly shops: readonly { readonly rules: MappingRules }[];
  readonly healing: Healing;
  readonly storefront: Connector['storefront'];
}): readonly Finding[] {
  const ofShops = (name: keyof MappingRules) => shops.map(({ rules }) => valueText(rules[name]));
  return [
    ...linesOf('loyalty', LOYALTY, () => valueText(loyalty.callsPerSecond)),
    ...linesOf('loyalty.assumptions', ASSUMPTIONS, (name) => valueText(loyalty.assumptions[name])),
    ...linesOf('rules', RULES, (name) => [...new Set(ofShops(name))].join(' or ')),
    ...(healing.productChanges === 'events'
      ? linesOf('healing', EVENTS, (name) => valueText(healing[name]))
      : []),
    ...(storefront ? linesOf('storefront', STOREFRONT, (name) => valueText(storefront[name])) : []),
  ];
}

function linesOf<Name extends string>(
  path: string,
  guesses: Guesses<Name>,
  read: (name: Name) => string,
): readonly Finding[] {
  const names = Object.keys(guesses) as Name[];
  return names.map((name) => info(`${path}.${name}: ${read(name)} (${guesses[name]})`));
}

function valueText(value: unknown): string {
  if (value === undefined) return 'unset';
  if (typeof value === 'function') return 'a function of yours';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
