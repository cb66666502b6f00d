/** What the person can do about it, for the failures that everybody meets once. */
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
      'AWS does not know who you are. Sign in (aws configure, or aws sso login) or give --profile NAME.',
  },
  {
    when: /UnreservedConcurrentExecution/,
    advice: `The account has too little concurrency to set some apart. Remove
deployment.reservedReceiverConcurrency from the settings, or ask AWS for a higher quota of
"Concurrent executions" of Lambda first.`,
  },
  {
    when: /secret.*already exists|already exists.*secret/i,
    advice: `Secrets with these names are there already, made by another stack or by hand. Delete them
(aws secretsmanager delete-secret --force-delete-without-recovery --secret-id NAME), then deploy again.`,
  },
  {
    when: /ROLLBACK_COMPLETE|ROLLBACK_IN_PROGRESS/,
    advice: `AWS has put everything back to what it was before. The first line above with CREATE_FAILED or
UPDATE_FAILED says why; mend that and deploy again.`,
  },
];

export function explainFailure(said: string): string | undefined {
  return KNOWN.find(({ when }) => when.test(said))?.advice;
}
