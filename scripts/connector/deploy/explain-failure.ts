/** Advice for the most common failures. */
const KNOWN: readonly { readonly when: RegExp; readonly advice: string }[] = [
  {
    when: /cdk-bootstrap|(?:is|been|not) bootstrapped|bootstrap stack version/i,
    advice: `This account and region are not prepared for CDK yet. Once per account and region:
  npx cdk bootstrap
(with the same --profile, and the region in AWS_REGION)`,
  },
  {
    when: /expired/i,
    advice: 'Your AWS credentials have expired. Sign in again (aws sso login), then deploy again.',
  },
  {
    when: /credentials|Unable to resolve AWS account|security token.*invalid/i,
    advice:
      'No valid AWS credentials were found. Sign in (aws configure, or aws sso login) or give --profile NAME.',
  },
  {
    when: /scheduled for deletion/i,
    advice: `A secret with this name was deleted and still has its recovery window. Restore it
(aws secretsmanager restore-secret --secret-id NAME), then deploy again: it is adopted with its value.`,
  },
  {
    when: /secret.*already exists|already exists.*secret/i,
    advice: `Secrets with these names belong to another stack. Give this stage or this shop's path
another name, or remove them from that stack first: there they are kept when the shop leaves its settings.`,
  },
  {
    when: /denied by stack policy/i,
    advice: `The stack's policy refuses to replace or delete what holds state. Deploy with this command, which
says what that is, and lets you name what may go: --allow-loss ID.`,
  },
  {
    when: /ROLLBACK_COMPLETE|ROLLBACK_IN_PROGRESS/,
    advice: `AWS has rolled everything back. The first line above with CREATE_FAILED or
UPDATE_FAILED says why; fix that and deploy again.`,
  },
];

export function explainFailure(said: string): string | undefined {
  return KNOWN.find(({ when }) => when.test(said))?.advice;
}
