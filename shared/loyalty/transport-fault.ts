import { type TransportFailure, transportFailure } from './result.ts';
import type { TransportFault } from './transport.ts';

/** Puts a fault in words of ours: Node's messages hold addresses, and could hold more one day. */
export function describeFault(fault: TransportFault, timeoutMs: number): TransportFailure {
  const { reason, mayHaveHappened, errno } = fault;
  const details = { mayHaveHappened, ...(errno !== undefined && { errno }) };
  switch (reason) {
    case 'time-out':
      return transportFailure(reason, {
        ...details,
        message: `No complete answer within ${timeoutMs} ms.`,
      });
    case 'aborted':
      return transportFailure(reason, { ...details, message: 'Aborted by the caller.' });
    case 'connection':
      return transportFailure(reason, {
        ...details,
        message: `Connection failed (${errno ?? 'closed'}).`,
      });
    case 'no-credentials':
      return transportFailure(reason, {
        ...details,
        message: 'The credentials could not be had, or are not usable.',
      });
    case 'credentials-unreachable':
      return transportFailure(reason, {
        ...details,
        message: 'The credentials cannot be read at the moment.',
      });
    case 'not-http':
      return transportFailure('not-the-contract', {
        ...details,
        message: `The answer is not HTTP (${errno ?? 'unknown'}).`,
      });
    case 'too-large':
      return transportFailure('not-the-contract', {
        ...details,
        message: 'The answer is too large to be one of the contract.',
      });
  }
}
