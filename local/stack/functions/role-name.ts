import type { FunctionDescription } from '../template/stack-description.ts';

/** Roles are known to the policies by their name, to a function by their ARN. */
export function roleNameOf({ roleArn }: Pick<FunctionDescription, 'roleArn'>): string {
  return roleArn.split('/').at(-1) ?? '';
}
