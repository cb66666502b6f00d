import { Problem } from '../terminal/exit.ts';
import type { StackOptions } from './deployment.ts';

interface Explanation {
  /** Matched against the error's name, its code and its message, in this order of trust. */
  readonly when: RegExp;
  readonly message: (place: Place) => string;
  readonly next: (place: Place) => string;
}

interface Place {
  readonly stack: string;
  readonly region: string;
  readonly profile: string;
  /** What AWS said, on one line. */
  readonly said: string;
  /** The ARN of the policy for operators; empty before the stack is found. */
  readonly operatorPolicy: string;
}

const DENIED = /^(AccessDenied|AccessDeniedException|UnauthorizedOperation|AuthorizationError)\b/;

/** These credentials may not make the call. */
export function isDenied(error: unknown): boolean {
  return error instanceof Error && DENIED.test(error.name);
}

/** The first match is used. */
const EXPLANATIONS: readonly Explanation[] = [
  {
    when: /^(ExpiredToken|ExpiredTokenException|RequestExpired|TokenRefreshRequired)\b|token.*(is|has) expired|SSO.*expired/i,
    message: () => 'Your AWS credentials have expired.',
    next: ({ profile }) => `Sign in again (aws sso login${profile}), then repeat the command.`,
  },
  {
    when: /^RequestTimeTooSkewed\b|Signature (expired|not yet current)/i,
    message: () => 'AWS refuses the request because the clock of this machine is wrong.',
    next: () => 'Set the clock (date -u shows the time of this machine), then repeat the command.',
  },
  {
    when: /^CredentialsProviderError\b|Could not load credentials|Could not resolve credentials/i,
    message: ({ profile }) => `No AWS credentials were found${profile && ` for${profile}`}.`,
    next: () => 'Sign in (aws sso login), set AWS_PROFILE, or give --profile NAME.',
  },
  {
    when: /^(InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignatureException|AuthFailure)\b/,
    message: () => 'AWS does not know these credentials.',
    next: () => 'Check the profile (aws sts get-caller-identity), or give another --profile NAME.',
  },
  {
    when: DENIED,
    message: ({ said }) => `These AWS credentials are not allowed to do that: ${said}`,
    next: ({ operatorPolicy }) =>
      `Use a profile that operates the connector: one with the policy ${operatorPolicy || 'in the output OperatorPolicy of the stack'} (docs/operator-access.md).`,
  },
  {
    when: /Region is missing/i,
    message: () => 'No AWS region is set.',
    next: () => 'Give --region REGION, or set AWS_REGION.',
  },
  {
    when: /^(Throttling|ThrottlingException|ThrottledException|RequestLimitExceeded|TooManyRequestsException|ProvisionedThroughputExceededException|RequestThrottled|SlowDown)\b|Rate exceeded/i,
    message: () => 'AWS throttled the requests of this account several times in a row.',
    next: () =>
      'Wait a minute and repeat the command; nothing was changed by the call that failed.',
  },
  {
    when: /^(QueueDoesNotExist|ResourceNotFoundException)\b|NonExistentQueue/,
    message: ({ stack, region }) =>
      `A resource of ${stack} does not exist in ${region}: it was deleted or renamed.`,
    next: () =>
      'Deploy the stack again (npm run deploy): its outputs name resources that do not exist.',
  },
  {
    when: /^(ENOTFOUND|EAI_AGAIN)\b|getaddrinfo/,
    message: ({ said }) => `The address of AWS cannot be resolved from here: ${said}`,
    next: () => 'Check the network, the proxy, and that --region names a region.',
  },
  {
    when: /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|TimeoutError|NetworkingError|AwsUnanswered)\b/,
    message: ({ said }) => `AWS does not answer from here: ${said}`,
    next: () =>
      'Check the network and the proxy; for the connector on this machine, that "npm start" still runs.',
  },
];

/** What an error of the AWS SDK means for the user; undefined for any other error. */
export function explainAwsError(
  error: unknown,
  options: StackOptions,
  operatorPolicy = '',
): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const said = error.message.replace(/\s+/g, ' ').trim();
  const place: Place = {
    stack: options.stack ?? process.env.CONNECTOR_STACK ?? 'the local stack',
    region: options.region ?? process.env.AWS_REGION ?? 'this region',
    profile: options.profile === undefined ? '' : ` --profile ${options.profile}`,
    said,
    operatorPolicy,
  };
  const texts = [error.name, code, `${error.name}: ${said}`, said];
  const found = EXPLANATIONS.find(({ when }) => texts.some((text) => when.test(text)));
  if (found) return new Problem(found.message(place), found.next(place));
  if (!('$metadata' in error)) return undefined;
  return new Problem(
    `AWS answered ${error.name}: ${said}`,
    'Repeat with --verbose for the details.',
  );
}
