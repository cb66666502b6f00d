import type { Item } from '../batch/conclude.ts';
import type { Outcome } from '../batch/outcome.ts';
import { DEAD_LETTER_DAYS } from '../events/dead-letter.ts';
import { isStoreEvent } from '../events/event.ts';
import { groupIdOf, hashBody } from '../events/message-ids.ts';
import { expiresAfter, type Ledger, readEntry } from '../ledger/ledger.ts';
import type { RecordKey } from '../ledger/ledger-key.ts';
import { rememberedForm } from '../ledger/remembered-form.ts';

/** The message whose letter it is. */
const form = rememberedForm<string>('parked', 1);

/**
 * Only the body of a webhook is signed. An attacker who captured one can send it again, under any topic and
 * delivery id: bytes that cannot be read become one dead letter, as long as that letter can be there. Bytes that were
 * read have a letter of their own, or a copy under a wrong topic would hide that the service refused them.
 *
 * The first message claims the bytes before it is parked. If its worker dies in between, the next one
 * finds the claim of its own message and parks it.
 */
export async function parkOnce(
  { event, message: { messageId, groupId } }: Item,
  rejected: Extract<Outcome, { kind: 'rejected' }>,
  { ledger, now }: { readonly ledger: Ledger; readonly now: () => Date },
): Promise<Outcome> {
  if (!event || !isStoreEvent(event) || event.origin !== 'webhook' || !event.body) return rejected;
  // A letter that a person sends again, by our command or by SQS's redrive, which changes its group.
  if (event.replays || groupId !== groupIdOf(event)) return rejected;
  const { shop, kind } = event;
  const hash = hashBody(event.body);
  const id = rejected.reason === 'unreadable' ? hash : `${hash}/${kind}`;
  const key: RecordKey<'parked'> = { shop, kind: 'parked', id };
  const claimed = await readEntry(ledger, key);
  if (claimed) {
    const letterOf = form.read(claimed.remembered);
    return letterOf === messageId ? rejected : REPEATED;
  }
  const at = now();
  const written = await ledger.write(
    key,
    {
      version: at.getTime(),
      uncertain: false,
      remembered: form.write(messageId),
      outcomes: [],
      ...expiresAfter(DEAD_LETTER_DAYS, at),
    },
    undefined,
  );
  return written.kind === 'written' ? rejected : REPEATED;
}

const REPEATED: Outcome = { kind: 'skipped', why: 'parked-before' };
