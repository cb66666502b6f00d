import { Problem } from '../terminal/exit.ts';
import type { StackOptions } from './deployment.ts';

interface Place {
  readonly stack: string;
  readonly region: string;
  /** ` --profile NAME`; empty where none is given. */
  readonly profile: string;
  /** What AWS said, on one line. */
  readonly said: string;
  /** The ARN of the policy for operators; empty before the stack is found. */
  readonly operatorPolicy: string;
}

const DENIED = /^(AccessDenied|AccessDeniedException|UnauthorizedOperation|AuthorizationError)\b/;

export function isDenied(error: unknown): boolean {
  return error instanceof Error && DENIED.test(error.name);
}

/**
 * What is matched against the error's name, its code and its message, in this order of trust; what it means; what to do.
 * The first match is used.
 */
const explanations = ({ stack, region, profile, said, operatorPolicy }: Place) =>
  [
    [
      /^(ExpiredToken|ExpiredTokenException|RequestExpired|TokenRefreshRequired)\b|token.*(is|has) expired|SSO.*expired/i,
      'Your AWS credentials have expired.',
      `Sign in again (aws sso login${profile}), then repeat the command.`,
    ],
    [
      /^RequestTimeTooSkewed\b|Signature (expired|not yet current)/i,
      "This machine's clock is wrong: AWS has another time.",
      'Set the clock (date -u shows what it says), then repeat the command.',
    ],
    [
      /Could not resolve credentials using profile/,
      `The AWS profile ${/\[(.+?)\]/.exec(said)?.[1] ?? ''} is not in ~/.aws/config, or has no credentials there.`,
      'List the profiles that exist: aws configure list-profiles',
    ],
    [
      /^CredentialsProviderError\b|Could not load credentials/i,
      'No AWS credentials were found.',
      'Sign in (aws sso login), set AWS_PROFILE, or give --profile NAME.',
    ],
    [
      /^(InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignatureException|AuthFailure)\b/,
      'AWS does not know these credentials.',
      'Check the profile (aws sts get-caller-identity), or give another --profile NAME.',
    ],
    [
      DENIED,
      `These AWS credentials are not allowed to do that: ${said}`,
      `Use a profile that operates the connector: one with the policy ${operatorPolicy || 'in the output OperatorPolicy of the stack'} (docs/operator-access.md). To deploy it needs another: docs/deploy.md, "A governed account".`,
    ],
    [/Region is missing/i, 'No AWS region is set.', 'Give --region REGION, or set AWS_REGION.'],
    [
      /^(Throttling|ThrottlingException|ThrottledException|RequestLimitExceeded|TooManyRequestsException|ProvisionedThroughputExceededException|RequestThrottled|SlowDown)\b|Rate exceeded/i,
      'AWS throttled the requests of this account several times in a row.',
      'Wait a minute and repeat the command; nothing was changed by the call that failed.',
    ],
    [
      /^(QueueDoesNotExist|ResourceNotFoundException)\b|NonExistentQueue/,
      `A resource of ${stack} does not exist in ${region}: it was deleted or renamed.`,
      'Deploy the stack again (npm run deploy): its outputs name resources that do not exist.',
    ],
    [
      /^(ENOTFOUND|EAI_AGAIN)\b|getaddrinfo/,
      `The address of AWS cannot be resolved from here: ${said}`,
      'Check the network, the proxy, and that --region names a region.',
    ],
    [
      /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|TimeoutError|NetworkingError|AwsUnanswered)\b/,
      `AWS does not answer from here: ${said}`,
      'Check the network and the proxy; for the connector on this machine, that "npm start" still runs.',
    ],
  ] as const;

/** What an error of the AWS SDK means for the user; undefined for any other error. */
export function explainAwsError(
  error: unknown,
  options: StackOptions,
  operatorPolicy = '',
): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const said = error.message.replace(/\s+/g, ' ').trim();
  const known = explanations({
    stack: options.stack ?? process.env.CONNECTOR_STACK ?? 'the local stack',
    region: options.region ?? process.env.AWS_REGION ?? 'this region',
    profile: options.profile === undefined ? '' : ` --profile ${options.profile}`,
    said,
    operatorPolicy,
  });
  const texts = [error.name, code, `${error.name}: ${said}`, said];
  const found = known.find(([when]) => texts.some((text) => when.test(text)));
  if (found) return new Problem(found[1], found[2]);
  if (!('$metadata' in error)) return undefined;
  return new Problem(
    `AWS answered ${error.name}: ${said}`,
    'Repeat with --verbose for the details.',
  );
}
