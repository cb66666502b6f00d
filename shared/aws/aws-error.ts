import type { HttpFailure } from '../http/http-client.ts';

/** An answer of AWS that is an error, in the shape that the SDK gives it. */
export class AwsError extends Error {
  readonly $metadata: { readonly httpStatusCode: number; readonly attempts: number };

  /** `code` is AWS's name of the error; its text stays out, it may quote what was sent. */
  constructor(code: string, httpStatusCode: number, attempts: number) {
    super(`AWS answered ${httpStatusCode} ${code}`);
    this.name = code;
    this.$metadata = { httpStatusCode, attempts };
  }
}

/** No whole answer came, at the last of all attempts. */
export class AwsUnanswered extends Error {
  override readonly name = 'AwsUnanswered';
  readonly code: string;

  constructor({ reason, phase, code }: HttpFailure) {
    super(`AWS did not answer: ${reason} while ${phase}`);
    this.code = code ?? reason;
  }
}

/** Whether DynamoDB refused a write for its condition, and after how many attempts. */
export function failedCondition(error: unknown): { readonly attempts: number } | undefined {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') {
    return undefined;
  }
  const { $metadata } = error as { $metadata?: { attempts?: number } };
  return { attempts: $metadata?.attempts ?? 1 };
}
