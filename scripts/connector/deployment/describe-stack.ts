import {
  CloudFormationClient,
  CloudFormationServiceException,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import type { AwsSettings } from './deployment.ts';

/** Undefined when there is none. */
export async function describeStack(aws: AwsSettings, name: string): Promise<Stack | undefined> {
  try {
    const { Stacks: stacks = [] } = await new CloudFormationClient(aws).send(
      new DescribeStacksCommand({ StackName: name }),
    );
    return stacks[0];
  } catch (error) {
    // CloudFormation has no other error for a stack that does not exist; the name itself is valid.
    const isUnknown =
      error instanceof CloudFormationServiceException && error.name === 'ValidationError';
    if (isUnknown) return undefined;
    throw error;
  }
}
