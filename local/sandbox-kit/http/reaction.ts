import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { CommonFault } from '../faults.ts';
import { type Answer, respond } from './server.ts';

/** What is done about a call, once it is decided. */
export interface Reaction {
  /** Absent where no answer is sent. */
  readonly status?: number;
  perform(response: ServerResponse): void;
}

export const reply = (answer: Answer): Reaction => ({
  status: answer.status,
  perform: (response) => respond(response, answer),
});

/** The client sees a connection reset, as when a process ends or a load balancer drops it. */
export const reset: Reaction = { perform: ({ socket }) => void socket?.resetAndDestroy() };

const gatewayPage: Omit<Answer, 'status'> = {
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><html lang="en"><title>Bad gateway</title><h1>Bad gateway</h1></html>\n',
};

/** The reaction to a call with a fault. `CommonFault` says which kinds execute the call. */
export function reactTo(
  fault: CommonFault,
  execute: () => Answer,
  refuse: (status: number, message: string, headers: OutgoingHttpHeaders) => Answer,
): Reaction {
  switch (fault.kind) {
    case 'http-429':
    case 'http-500':
    case 'http-503': {
      const status = Number(fault.kind.slice('http-'.length));
      const seconds = 'retryAfterSeconds' in fault ? fault.retryAfterSeconds : undefined;
      const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
      return reply(refuse(status, STATUS_CODES[status] ?? '', headers));
    }
    case 'not-json':
      return reply({ ...gatewayPage, status: fault.status ?? 502 });
    case 'truncated': {
      const answer = execute();
      return {
        status: answer.status,
        perform: (response) => respond(response, answer, 'half-of-it'),
      };
    }
    case 'empty':
      execute();
      return reply({ status: 200, body: '' });
    case 'reset-after':
      execute();
      return reset;
    case 'reset-before':
      return reset;
    case 'hang':
      return { perform: () => {} };
  }
}
