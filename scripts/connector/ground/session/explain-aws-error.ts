import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { closestTo } from '../../../../shared/config/closest.ts';
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

const NO_CREDENTIALS =
  /^CredentialsProviderError\b|Could not (load credentials|resolve credentials using profile)/i;
const NO_REGION = /Region is missing/i;

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
      NO_CREDENTIALS,
      'No AWS credentials were found.',
      `Sign in (aws sso login${profile}), set AWS_PROFILE, or give another --profile NAME.`,
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
    [NO_REGION, 'No AWS region is set.', 'Give --region REGION, or set AWS_REGION.'],
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
      `No address is known here for AWS in ${region}: ${said}`,
      'Check that --region names a region, such as eu-west-1; then the network and the proxy.',
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
  const profile = options.profile ?? process.env.AWS_PROFILE;
  const said = error.message.replace(/\s+/g, ' ').trim();
  const known = explanations({
    stack: options.stack ?? process.env.CONNECTOR_STACK ?? 'the local stack',
    region: options.region ?? process.env.AWS_REGION ?? 'this region',
    profile: options.profile === undefined ? '' : ` --profile ${options.profile}`,
    said,
    operatorPolicy,
  });
  const texts = [error.name, code, `${error.name}: ${said}`, said];
  // The SDK goes on to other sources of credentials, and names only the last of them.
  const isAboutProfile = texts.some((text) => NO_CREDENTIALS.test(text) || NO_REGION.test(text));
  if (profile && isAboutProfile && !knownProfiles().includes(profile)) return noProfile(profile);
  const found = known.find(([when]) => texts.some((text) => when.test(text)));
  const { AWS_ENDPOINT_URL: endpoint, CONNECTOR_STACK } = process.env;
  const isOther = code === 'ECONNREFUSED' || /Deserialization error/.test(said);
  if (endpoint && (options.stack ?? CONNECTOR_STACK) && isOther) {
    const what = `AWS_ENDPOINT_URL is set to ${endpoint}, which does not answer as AWS does.`;
    return new Problem(what, 'Run: unset AWS_ENDPOINT_URL, then repeat the command.');
  }
  if (found) return new Problem(found[1], found[2]);
  if (!('$metadata' in error)) return undefined;
  return new Problem(
    `AWS answered ${error.name}: ${said}`,
    'Repeat with --verbose for the details.',
  );
}

function noProfile(name: string): Problem {
  const known = knownProfiles();
  const meant = closestTo(name, known);
  return new Problem(
    `There is no AWS profile "${name}" in ~/.aws/config or ~/.aws/credentials.`,
    known.length === 0
      ? `No profile exists yet. To make this one: aws configure sso --profile ${name}`
      : `Profiles there: ${known.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`,
  );
}

function knownProfiles(): readonly string[] {
  const { AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE } = process.env;
  const home = (file: string) => join(homedir(), '.aws', file);
  // Other sections of the first file are sessions and services.
  const named = [
    ...textOf(AWS_CONFIG_FILE ?? home('config')).matchAll(
      /^\s*\[(?:profile\s+(.+?)|(default))\s*\]/gm,
    ),
    ...textOf(AWS_SHARED_CREDENTIALS_FILE ?? home('credentials')).matchAll(/^\s*\[\s*(.+?)\s*\]/gm),
  ];
  return [...new Set(named.map(([, name, fallback]) => name ?? fallback ?? ''))];
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
