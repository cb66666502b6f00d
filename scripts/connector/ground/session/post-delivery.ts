import { type Delivery, OPERATOR_AGENT } from '../../../../shared/core/events/receive-delivery.ts';
import { printable } from '../terminal/text.ts';

export type PostedDelivery = { readonly milliseconds: number } & (
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'unanswered'; readonly why: string }
);

/** Longer than the store's own five seconds: a slow answer is worth seeing. */
const PATIENCE_MS = 15_000;
const TEXT_MAX_CHARS = 200;

/** One POST as the store makes it, without following redirects: anything outside 2xx is a failure. */
export async function postDelivery(
  address: string,
  { headers, body }: Pick<Delivery, 'headers' | 'body'>,
): Promise<PostedDelivery> {
  const startedAt = performance.now();
  const passed = () => ({ milliseconds: Math.round(performance.now() - startedAt) });
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': OPERATOR_AGENT, ...headers },
      body: Buffer.from(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = (await answer.text()).trim().slice(0, TEXT_MAX_CHARS);
    return { kind: 'answered', status: answer.status, text, ...passed() };
  } catch (error) {
    return { kind: 'unanswered', why: reasonOf(error), ...passed() };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  if (error.name === 'TimeoutError') return `no answer within ${PATIENCE_MS / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  // Several addresses were tried and each failed: the first says enough.
  const first = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  return first instanceof Error && first.message !== '' ? first.message : error.message;
}

/** As the store sees it. */
export const isAccepted = (posted: PostedDelivery): boolean =>
  posted.kind === 'answered' && posted.status >= 200 && posted.status <= 299;

export function answerText(answer: PostedDelivery): string {
  if (answer.kind === 'unanswered') {
    return `no answer: ${printable(answer.why)} (${answer.milliseconds} ms)`;
  }
  const { status, text, milliseconds } = answer;
  return `${status} ${printable(text)} (${milliseconds} ms)${MEANINGS[status] ?? ''}`;
}

const MEANINGS: Readonly<Record<number, string>> = {
  401: ': the secret, the address or the shop does not fit (a changed secret takes up to a minute)',
  503: ': the secrets or the queue cannot be reached, the store would retry',
};
