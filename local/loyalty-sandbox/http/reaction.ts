import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import {
  jsonAnswer,
  resetConnection,
  respond,
  respondTruncated,
} from '../../sandbox-kit/http/server.ts';
import type { JournalEntry } from '../journal.ts';

/** What is done about a call, once it is decided. */
export type Reaction =
  | {
      readonly kind: 'answer' | 'truncated';
      readonly status: number;
      readonly answer: unknown;
      readonly headers?: OutgoingHttpHeaders;
      readonly fault?: string;
    }
  | { readonly kind: 'empty'; readonly answer: unknown; readonly fault: string }
  | { readonly kind: 'page'; readonly status: number; readonly fault: string }
  /** `answer` is there when the call was carried out before. */
  | { readonly kind: 'reset'; readonly answer?: unknown; readonly fault: string }
  | { readonly kind: 'silence'; readonly fault: string };

/** The shape of envelope B, for want of a known one: the contract shows no answer but HTTP 200. */
export function refusal(
  status: number,
  message: string,
  headers: OutgoingHttpHeaders = {},
): Reaction {
  return { kind: 'answer', status, answer: { ErrorMessage: message, HasError: true }, headers };
}

export function journalPart(reaction: Reaction): Pick<JournalEntry, 'status' | 'answer' | 'fault'> {
  return {
    ...('status' in reaction && { status: reaction.status }),
    ...(reaction.kind === 'empty' && { status: 200 }),
    ...('answer' in reaction && { answer: reaction.answer }),
    ...(reaction.fault !== undefined && { fault: reaction.fault }),
  };
}

const gatewayPage =
  '<!doctype html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>\n';

export function perform(reaction: Reaction, response: ServerResponse): void {
  switch (reaction.kind) {
    case 'answer':
      respond(response, jsonAnswer(reaction.status, reaction.answer, reaction.headers));
      break;
    case 'truncated':
      respondTruncated(response, jsonAnswer(reaction.status, reaction.answer));
      break;
    case 'empty':
      respond(response, { status: 200, body: '' });
      break;
    case 'page':
      respond(response, {
        status: reaction.status,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: gatewayPage,
      });
      break;
    case 'reset':
      resetConnection(response);
      break;
    case 'silence':
      break;
  }
}
