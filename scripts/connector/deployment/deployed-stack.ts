import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { Problem } from '../exit.ts';
import {
  type AwsSettings,
  awsSettings,
  CLIENT_LIMITS,
  type Deployment,
  outputsOf,
} from './deployment.ts';
import { describeNewerSettings, readStageSettings } from './stage-settings.ts';

export interface StackName {
  readonly stack: string;
  readonly region?: string;
  readonly profile?: string;
}

/** The account and the region that are meant; rejects when no region is set. */
export async function openAws(place: Omit<StackName, 'stack'>): Promise<AwsSettings> {
  const account = place.profile === undefined ? {} : { profile: place.profile };
  const client = new CloudFormationClient({
    ...CLIENT_LIMITS,
    ...account,
    // If undefined, the SDK reads it from the environment and the profile.
    ...(place.region !== undefined && { region: place.region }),
  });
  return awsSettings({ region: await client.config.region(), ...account });
}

/** Finds a stack on AWS by its CloudFormation outputs. */
export async function findDeployedStack({ stack, ...place }: StackName): Promise<Deployment> {
  const aws = await openAws(place);
  const { region } = aws;
  const { Stacks: stacks = [] } = await new CloudFormationClient(aws).send(
    new DescribeStacksCommand({ StackName: stack }),
  );
  const [found] = stacks;
  if (!found) throw new Problem(`CloudFormation did not describe the stack ${stack} in ${region}.`);
  const outputs: Record<string, string> = Object.fromEntries(
    (found.Outputs ?? []).map((one) => [one.OutputKey ?? '', one.OutputValue ?? '']),
  );
  const described = `The stack ${stack} in ${region} (${found.StackStatus})`;
  const output = outputsOf(outputs, described, 'Deploy this release: npm run deploy.');
  // Not from the name: as a construct, the connector may be in a stack of any name.
  const stage = output('SecretsPrefix').replace(/^.*\//, '');
  const readAt = new Date();
  return {
    where: 'aws',
    stage,
    stack,
    region,
    aws,
    version: output('Version'),
    output,
    connector: await readStageSettings(stage),
    note: async () => describeNewerSettings(stage, readAt),
  };
}
