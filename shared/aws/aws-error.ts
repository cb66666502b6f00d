import type { HttpFailure } from '../http/http-client.ts';

/** An error answer of AWS, with the fields of an SDK error. */
export class AwsError extends Error {
  readonly $metadata: { readonly httpStatusCode: number; readonly attempts: number };

  /** `code` is AWS's name of the error. Its text is left out, because it may quote the request. */
  constructor(code: string, httpStatusCode: number, attempts: number) {
    super(`AWS answered ${httpStatusCode} ${code}`);
    this.name = code;
    this.$metadata = { httpStatusCode, attempts };
  }
}

/** The last attempt got no complete answer. */
export class AwsUnanswered extends Error {
  override readonly name = 'AwsUnanswered';
  readonly code: string;

  constructor({ reason, phase, code }: HttpFailure) {
    super(`AWS did not answer: ${reason} while ${phase}`);
    this.code = code ?? reason;
  }
}

/** Defined if DynamoDB refused a write because of its condition. */
export function failedCondition(error: unknown): { readonly attempts: number } | undefined {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') {
    return undefined;
  }
  const { $metadata } = error as { $metadata?: { attempts?: number } };
  return { attempts: $metadata?.attempts ?? 1 };
}
