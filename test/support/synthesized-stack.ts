import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import {
  ConnectorStack,
  LoyaltyConnector,
  type LoyaltyConnectorProps,
} from '../../infra/connector-stack.ts';
import { createApp } from '../../infra/create-app.ts';
import type { Concurrency } from '../../shared/config/concurrency.ts';
import { type ConnectorSettings, defineConnector } from '../../shared/config/connector-config.ts';

/** The smallest settings with an address for alarms. */
const LEAST: ConnectorSettings = {
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
  alarms: { emails: ['operator@shop.example'] },
};

const known = new Map<string, Template>();

/** The template of `buildStack`, but once for equal settings, because it takes a second. */
export function synthesizeStack(
  settings: Partial<ConnectorSettings> = {},
  stage = 'prod',
  concurrency?: Concurrency,
): Template {
  const key = JSON.stringify([settings, stage, concurrency]);
  const template = known.get(key) ?? buildStack(settings, stage, Template.fromStack, concurrency);
  known.set(key, template);
  return template;
}

/**
 * Builds the real stack, with an empty function instead of the bundles. Throws when the checks of the deployment
 * find something that is not acknowledged.
 */
export function buildStack<Result>(
  settings: Partial<ConnectorSettings>,
  stage: string,
  use: (stack: ConnectorStack) => Result,
  concurrency?: Concurrency,
): Result {
  return withApp(settings, (app, props) =>
    use(new ConnectorStack(app, { ...props, stage, concurrency })),
  );
}

/** The construct in a stack of the merchant's own app. */
export function buildOwnStack(
  lambdaQuota: number | undefined,
  deployment?: ConnectorSettings['deployment'],
) {
  return withApp({ storefront: {}, ...(deployment && { deployment }) }, (app, props) => {
    const stack = new Stack(app, 'Paper');
    new LoyaltyConnector(stack, 'Loyalty', { ...props, stage: 'prod', lambdaQuota });
    const template = Template.fromStack(stack);
    const warnings = Annotations.fromStack(stack).findWarning('*', Match.anyValue());
    return { template, warnings: warnings.map(({ entry }) => String(entry.data)) };
  });
}

function withApp<Result>(
  settings: Partial<ConnectorSettings>,
  use: (app: App, props: Pick<LoyaltyConnectorProps, 'connector' | 'bundleOf'>) => Result,
): Result {
  const folder = mkdtempSync(join(tmpdir(), 'connector-synth-'));
  const bundle = join(folder, 'bundle');
  mkdirSync(bundle);
  writeFileSync(join(bundle, 'index.js'), '');
  try {
    const app = createApp({
      outdir: join(folder, 'cdk.out'),
      // Takes seconds to start; synth.test.ts runs the real program.
      builtinCloudFormationValidation: false,
    });
    const connector = defineConnector({ ...LEAST, ...settings });
    return use(app, { connector, bundleOf: () => bundle });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The properties of every resource of a type. */
export function propertiesOf(template: Template, type: string) {
  return Object.values(template.findResources(type)).map(({ Properties }) => Properties);
}
