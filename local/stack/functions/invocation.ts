/** How an invocation of a function ended, as its caller sees it. */
export type InvocationResult =
  | { readonly kind: 'returned'; readonly json: string }
  | { readonly kind: 'failed'; readonly errorType: string; readonly errorMessage: string }
  /** All of its concurrency is in use. */
  | { readonly kind: 'throttled' };

/** What the runner tells a function's process. */
export interface InvocationRequest {
  readonly requestId: string;
  readonly event: unknown;
  /** Epoch milliseconds at which the process is killed. */
  readonly deadline: number;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
  readonly logGroup: string;
  readonly logStream: string;
}

/** What a function's process tells the runner. */
export type ProcessMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'returned'; readonly requestId: string; readonly json: string }
  | {
      readonly kind: 'failed';
      readonly requestId: string;
      readonly errorType: string;
      readonly errorMessage: string;
    };
