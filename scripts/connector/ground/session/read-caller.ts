import { hostname, userInfo } from 'node:os';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { AwsError, AwsUnanswered, createSigner } from '../../../../shared/aws/aws-client.ts';
import { escapeToAscii } from '../../../../shared/core/events/message-body.ts';
import { createHttpClient } from '../../../../shared/http/http-client.ts';
import type { AwsSettings } from './deployment.ts';

export interface Caller {
  readonly arn: string;
  /** The same as `aws:userid` in a policy. */
  readonly userId: string;
}

const BODY = Buffer.from('Action=GetCallerIdentity&Version=2011-06-15');
const LIMITS = { connectMs: 3_000, maxAnswerBytes: 64 * 1024 };
const TIMEOUT_MS = 10_000;
/** So far AWS accepts a signature, too ("AWS Signature Version 4 for API requests"); the SDK corrects what is more. */
export const MOST_SKEW_MS = 300_000;

/**
 * The only call to STS, which every caller may make. Too little for a package of its own. Refuses a machine with a wrong
 * clock: its audit records would be found under another month, or expire at once.
 */
export async function readCaller(aws: AwsSettings): Promise<Caller> {
  const endpoint = endpointFor(aws);
  // Any client of the SDK finds the credentials of the environment or the profile.
  const credentials = await new DynamoDB(aws).config.credentials();
  const sign = createSigner('sts', aws.region, () => credentials);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await createHttpClient(endpoint, LIMITS).send({
    method: 'POST',
    path: '/',
    headers: sign({ host: new URL(endpoint).host, headers, body: BODY }),
    body: BODY,
    timeoutMs: TIMEOUT_MS,
    repeatable: true,
  });
  if (answer.kind === 'failure') throw new AwsUnanswered(answer);
  const skewMs = Date.now() - Date.parse(answer.headers.date ?? '');
  if (Math.abs(skewMs) > MOST_SKEW_MS) {
    throw new AwsError('RequestTimeTooSkewed', answer.status, answer.tries);
  }
  // XML is the only form that STS documents. None of these texts can hold a character that XML escapes.
  const read = (name: string) => new RegExp(`<${name}>([^<]+)</${name}>`).exec(answer.text)?.[1];
  const [arn, userId] = [read('Arn'), read('UserId')];
  if (arn !== undefined && userId !== undefined) return { arn, userId };
  throw new AwsError(read('Code') ?? 'UnknownError', answer.status, answer.tries);
}

function endpointFor({ endpoint, region }: AwsSettings): string {
  const { AWS_ENDPOINT_URL_STS: own, AWS_ENDPOINT_URL: all } = process.env;
  const suffix = region.startsWith('cn-') ? '.cn' : '';
  return endpoint ?? own ?? all ?? `https://sts.${region}.amazonaws.com${suffix}`;
}

/** Who sits here, as far as this machine knows; the AWS identity is in the audit record. */
export function localUser(): string {
  return escapeToAscii(`${userName()}@${hostname()}`).slice(0, 120);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user that has no name.
    return 'unknown';
  }
}
