import type { DeadLetters } from '../events/dead-letter.ts';
import type { TracedMessage } from '../events/queues.ts';
import type { Rejection } from './outcome.ts';
import { correlationOf, errorFields, type Telemetry } from './telemetry.ts';

export interface ParkingWorld {
  readonly deadLetters: DeadLetters;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
}

/** True when the dead-letter queue holds the message: only then may it leave its own queue. */
export async function parkMessage(
  { message, event }: TracedMessage,
  { reason, why, code }: Rejection,
  { deadLetters, telemetry, now }: ParkingWorld,
): Promise<boolean> {
  const given = { reason, why, ...(code && { code }) };
  const fields = { ...(event && correlationOf(event)), ...given };
  try {
    await deadLetters.park(message, {
      ...given,
      attempts: message.attempts,
      at: now().toISOString(),
    });
  } catch (error) {
    telemetry.log('error', 'could not be parked, stays on its queue', {
      ...fields,
      ...errorFields(error),
    });
    return false;
  }
  telemetry.count('rejected', {
    ...(event && { kind: event.kind }),
    code: code ?? reason,
  });
  telemetry.log('error', 'parked in the dead-letter queue', fields);
  return true;
}
