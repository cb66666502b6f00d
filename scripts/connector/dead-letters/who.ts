import { hostname, userInfo } from 'node:os';
import { escapeToAscii } from '../../../shared/core/events/message-body.ts';

/** Who sits here, as far as this machine knows; the AWS identity is in the audit record. */
export function whoIsAtTheKeyboard(): string {
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
