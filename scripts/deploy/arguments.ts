import { parseArgs } from 'node:util';

export interface DeployOptions {
  readonly stage: string;
  /** Deploy without asking. */
  readonly yes: boolean;
  readonly profile?: string | undefined;
  readonly region?: string | undefined;
}

export type DeployArguments =
  | { readonly kind: 'deploy'; readonly options: DeployOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly why: string };

export const HELP = `Shows what a deployment would change, asks, and deploys.

  npm run deploy -- [options]

  --stage NAME     the stage of connector.config.NAME.ts (default: prod, of connector.config.ts)
  --yes            deploy without asking
  --profile NAME   a profile of your AWS configuration
  --region NAME    the AWS region (default: that of the profile or the environment)
  --help           this text`;

export function readArguments(words: readonly string[]): DeployArguments {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        stage: { type: 'string', default: 'prod' },
        yes: { type: 'boolean', default: false },
        profile: { type: 'string' },
        region: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    const { stage, yes, profile, region } = values;
    return { kind: 'deploy', options: { stage, yes, profile, region } };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'mistake', why };
  }
}
