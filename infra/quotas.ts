import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CfnResource, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Concurrency, sumOf } from '../shared/config/concurrency.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import { type FunctionName, functionsOf } from './bundle-functions.ts';

/** "Understand CloudFormation quotas". */
export const MOST_RESOURCES = 500;
/** "Lambda quotas": a function, unzipped. */
const MOST_BUNDLE_BYTES = 250 * 1024 * 1024;
/** "DynamoDB burst and adaptive capacity": what one item takes in a second. */
export const WRITES_OF_AN_ITEM = 1_000;
/** A worker books its calls once a second, with up to two writes. */
export const WRITES_OF_A_WORKER = 2;

interface Deployed {
  readonly connector: Connector;
  readonly concurrency: Concurrency;
  readonly bundleOf: (name: FunctionName) => string;
}

/**
 * Stops the synthesis, with a sentence that says what to change, where a setting reaches a quota of AWS that the
 * deployment would otherwise find, half done. What can reach none is checked by test/unit/infra/quotas.test.ts; the
 * quota of Lambda is that of the account, which only `deploy` knows. See docs/limits.md.
 */
export function checkQuotas(
  scope: Construct,
  { connector, concurrency, bundleOf }: Deployed,
): void {
  scope.node.addValidation({
    validate: () => [
      ...tooManyResources(countResources(Stack.of(scope)), connector),
      ...tooManyWorkers(concurrency, connector),
      ...functionsOf(connector).flatMap((name) => tooLarge(name, bytesIn(bundleOf(name)))),
    ],
  });
}

function countResources(stack: Stack): number {
  const all = stack.node.findAll();
  return all.filter((one) => CfnResource.isCfnResource(one) && one.stack === stack).length;
}

function tooManyResources(count: number, { shops, alarms }: Connector): string[] {
  const beyond = count - MOST_RESOURCES;
  if (beyond <= 0) return [];
  const watched = shops.filter(({ orderSilence }) => orderSilence !== false).length;
  const stack = `The stack would have ${count} resources, and CloudFormation allows ${MOST_RESOURCES}`;
  if (watched > beyond) {
    const some = `at least ${beyond} of the ${watched} shops that have it`;
    return [`${stack}: set orderSilence: false for ${some}, or move them to another stage.`];
  }
  return alarms.emails.length > beyond
    ? [`${stack}: shorten alarms.emails by at least ${beyond}, to one address of a mailing list.`]
    : [`${stack}: move at least ${beyond} of your own to another stack.`];
}

/** All workers, and the storefront, book their calls to a loyalty account with one item of the ledger. */
function tooManyWorkers(concurrency: Concurrency, { loyalty, deployment }: Connector) {
  const ofStorefront = concurrency.storefront ?? deployment.maxConcurrency.storefront ?? 0;
  const workers = sumOf(concurrency) + ofStorefront;
  const most = WRITES_OF_AN_ITEM / WRITES_OF_A_WORKER;
  if (loyalty.callsPerSecond === undefined || workers <= most) return [];
  const why = `With loyalty.callsPerSecond all ${workers} workers, those of the storefront included, write to one item of the ledger, which DynamoDB lets ${most} do`;
  const less = `lower deployment.maxConcurrency by ${workers - most} in all`;
  return [`${why}: ${less}, or leave callsPerSecond out.`];
}

export function tooLarge(name: string, bytes: number): string[] {
  if (bytes <= MOST_BUNDLE_BYTES) return [];
  const size = `${Math.ceil(bytes / 1024 / 1024)} MB`;
  return [
    `The function ${name} has ${size}, and Lambda allows ${MOST_BUNDLE_BYTES / 1024 / 1024}: connector.config.ts imports too much.`,
  ];
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}
