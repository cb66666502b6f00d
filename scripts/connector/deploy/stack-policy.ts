/** Resources that hold what no deployment can make again. */
const STATE = ['AWS::DynamoDB::Table', 'AWS::SQS::Queue', 'AWS::KMS::Key'];
const SECRET = 'AWS::SecretsManager::Secret';

export const holdsState = (type: string): boolean => type === SECRET || STATE.includes(type);
export const isSecret = (type: string): boolean => type === SECRET;

/**
 * CloudFormation refuses every update that would replace or delete what holds state, also one by hand. A secret
 * may leave the stack, because it is retained. `except`: logical ids that one deployment may give up.
 */
export function stackPolicy(except: readonly string[] = []): string {
  const named = except.map((id) => `LogicalResourceId/${id}`);
  const deny = (actions: readonly string[], types: readonly string[]) => ({
    Effect: 'Deny',
    Principal: '*',
    Action: actions,
    ...(named.length > 0 ? { NotResource: named } : { Resource: '*' }),
    Condition: { StringEquals: { ResourceType: types } },
  });
  return JSON.stringify({
    Statement: [
      { Effect: 'Allow', Principal: '*', Action: 'Update:*', Resource: '*' },
      deny(['Update:Replace', 'Update:Delete'], STATE),
      deny(['Update:Replace'], [SECRET]),
    ],
  });
}
