import type { Shop } from '../../../shared/config/connector-config.ts';
import type { Ask, DataOf } from '../../../shared/shopify/admin/client/admin-client.ts';
import { installedAppDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import { type Finding, info, pass, warn } from './finding.ts';

type Installed = DataOf<typeof installedAppDocument>;
type DeveloperType = Installed['currentAppInstallation']['app']['developerType'];

const DAY_MS = 86_400_000;
/** Shopify, "Partner apps must enable bulk operations before use". */
const UNUSED_DAYS = 31;

/** What the person does in Shopify, with the names of its pages. */
export const ALLOW_BULK_QUERIES =
  'Partner Dashboard, Apps, the app, API access requests, Run bulk operations: Allow bulk queries.';

/** Checks what Shopify asks of an app that a partner made, as far as an API shows it. */
export async function checkInstalledApp(
  { domain }: Pick<Shop, 'domain'>,
  ask: Ask,
  region: string,
  now: Date,
): Promise<readonly Finding[]> {
  const since = new Date(now.getTime() - UNUSED_DAYS * DAY_MS).toISOString();
  const search = `operation_type:query AND created_at:>='${since}'`;
  const answer = await ask(installedAppDocument, { search });
  if (answer.kind !== 'data') {
    return [info(`${domain}: not known who made the app, because the store did not answer`)];
  }
  const { developerType } = answer.data.currentAppInstallation.app;
  const started = answer.data.bulkOperations.nodes.map(({ createdAt }) => Date.parse(createdAt));
  const findings = judgeInstalledApp(developerType, Math.max(...started, 0), region, now);
  return findings.map((finding) => ({ ...finding, what: `${domain}: ${finding.what}` }));
}

/** `lastBulkQuery` in epoch milliseconds; 0: none is known. */
function judgeInstalledApp(
  developerType: DeveloperType,
  lastBulkQuery: number,
  region: string,
  now: Date,
): readonly Finding[] {
  if (developerType === 'MERCHANT') {
    return [
      pass("the app is the merchant's own: it needs no IP allowlist, and may run a backfill"),
    ];
  }
  const isPartners = developerType === 'PARTNER';
  return [
    judgeBulkQueries(isPartners, lastBulkQuery, now),
    info(`${isPartners ? '' : 'if a partner made the app: '}${allowlistText(region)}`),
  ];
}

function judgeBulkQueries(isPartners: boolean, lastBulkQuery: number, now: Date): Finding {
  const until = lastBulkQuery + UNUSED_DAYS * DAY_MS;
  if (until > now.getTime()) {
    const day = new Date(until).toISOString().slice(0, 10);
    return pass(`a backfill may run; a partner's app loses that without another one until ${day}`);
  }
  const why = `Shopify takes bulk queries from a partner's app after ${UNUSED_DAYS} days without one`;
  return isPartners
    ? warn(
        `it is not known whether a backfill may run: ${why}`,
        `Before a backfill: ${ALLOW_BULK_QUERIES}`,
      )
    : info(`it is not known who made the app, nor whether a backfill may run: ${why}`);
}

/** Of all Amazon's public addresses (Amazon EC2, "Prerequisites for BYOIP": the ROA must name both). */
const AMAZON_NETWORKS = 'AS16509 and AS14618';

/**
 * Shopify, "App security updates: Thank you, plus what's required next", and "IP allowlists are now required for
 * public apps": dynamic addresses are allowed by the network's number and the country.
 */
function allowlistText(region: string): string {
  const country = COUNTRIES[region] ?? `the country of ${region}`;
  return `a custom app outside of its own organization needs an IP allowlist for new installs from 20 November 2026, which no API shows. Dev Dashboard, the app, Settings, IP allowlist: allow the networks ${AMAZON_NETWORKS} in ${country}, and the address from which you run commands. docs/how-to/agency.md has the other way, a fixed address`;
}

/** ISO 3166, of the regions of AWS. */
const COUNTRIES: Readonly<Record<string, string>> = {
  ...{ 'us-east-1': 'US', 'us-east-2': 'US', 'us-west-1': 'US', 'us-west-2': 'US' },
  ...{ 'ca-central-1': 'CA', 'ca-west-1': 'CA', 'mx-central-1': 'MX', 'sa-east-1': 'BR' },
  ...{ 'eu-central-1': 'DE', 'eu-central-2': 'CH', 'eu-north-1': 'SE', 'eu-south-1': 'IT' },
  ...{ 'eu-south-2': 'ES', 'eu-west-1': 'IE', 'eu-west-2': 'GB', 'eu-west-3': 'FR' },
  ...{ 'af-south-1': 'ZA', 'il-central-1': 'IL', 'me-central-1': 'AE', 'me-south-1': 'BH' },
  ...{ 'ap-east-1': 'HK', 'ap-east-2': 'TW', 'ap-south-1': 'IN', 'ap-south-2': 'IN' },
  ...{ 'ap-northeast-1': 'JP', 'ap-northeast-2': 'KR', 'ap-northeast-3': 'JP' },
  ...{ 'ap-southeast-1': 'SG', 'ap-southeast-2': 'AU', 'ap-southeast-3': 'ID' },
  ...{ 'ap-southeast-4': 'AU', 'ap-southeast-5': 'MY', 'ap-southeast-6': 'NZ' },
  'ap-southeast-7': 'TH',
};
