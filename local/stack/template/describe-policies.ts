import { readPolicy, type Statement } from '../iam/policy.ts';
import type { ResolvedResource } from './describe-stack.ts';
import { type Reader, readerOf } from './properties.ts';
import type { QueuePolicyDescription, RoleDescription } from './stack-description.ts';
import { UnknownInTemplate } from './template.ts';

/** A role with everything that it may do, wherever the template says it. */
export function describeRole(
  role: ResolvedResource,
  policies: readonly ResolvedResource[],
): RoleDescription {
  const { identity, logicalId } = role;
  const managed = role.texts('ManagedPolicyArns');
  if (managed.length > 0 || role.properties.PermissionsBoundary !== undefined) {
    // Their text is AWS's and not in the template: nothing here could check it.
    throw new UnknownInTemplate(`a managed policy of the role ${logicalId}: ${managed.join(', ')}`);
  }
  const inline = role
    .list('Policies')
    .map((policy) => readerOf(logicalId, policy as Readonly<Record<string, unknown>>));
  const attached = policies.filter((policy) => policy.texts('Roles').includes(identity.ref));
  return {
    name: identity.ref,
    arn: identity.attributes.Arn ?? '',
    statements: [...inline, ...attached].flatMap(statementsOf),
  };
}

export function describeQueuePolicy(resource: ResolvedResource): QueuePolicyDescription {
  return {
    queueUrls: resource.texts('Queues'),
    statements: statementsOf(resource),
  };
}

function statementsOf(policy: Reader): readonly Statement[] {
  const reading = readPolicy(policy.fields('PolicyDocument'));
  if (reading.kind === 'read') return reading.statements;
  throw new UnknownInTemplate(`a policy with ${reading.problem}`);
}
