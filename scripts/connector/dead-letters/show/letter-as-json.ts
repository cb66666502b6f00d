import type { QueuedEvent } from '../../../../shared/core/events/event.ts';
import type { EntityEntry } from '../../../../shared/core/ledger/ledger.ts';
import { adviceOn } from '../../../../shared/loyalty/error-advice.ts';
import type { CommonOptions } from '../../session.ts';
import { describeProspect } from './describe-prospect.ts';
import type { Examined, Prospect } from './examine-letter.ts';
import { differencesOf, type FieldDifference } from './find-difference.ts';
import { isPersonal, maskCall } from './mask-personal.ts';

/** A letter for a program to read; people in it are masked unless they are to be revealed. */
export function letterAsJson(
  { letter, entry, prospect }: Examined,
  options: CommonOptions & { readonly reveal?: boolean },
) {
  const { receiptHandle: _, body: __, event, at, undecodable, ...facts } = letter;
  const body = event && 'body' in event ? event.body : undefined;
  const advice = adviceOn(letter.code);
  return {
    ...facts,
    ...(advice !== undefined && { advice }),
    at: new Date(at).toISOString(),
    ...(undecodable !== undefined && { undecodable }),
    ...(event && { event: withoutValues(event) }),
    ...(options.reveal && body && { body: new TextDecoder().decode(body) }),
    ledger: entry ? withoutRemembered(entry) : null,
    now: prospectAsJson(prospect, entry, options),
  };
}

function withoutRemembered({ remembered: _, ...known }: EntityEntry) {
  return known;
}

/** What would be sent, and how it differs from what was applied last. */
export function prospectAsJson(
  prospect: Prospect,
  entry: EntityEntry | undefined,
  options: CommonOptions & { readonly reveal?: boolean },
) {
  const calls = prospect.kind === 'preview' ? prospect.preview.calls : [];
  return {
    summary: describeProspect(prospect, options),
    ...(prospect.kind === 'preview' && { outcome: prospect.preview.outcome }),
    calls: calls.map((call) => {
      const differences = differencesOf(call, entry);
      return {
        ...call,
        ...(call.body && !options.reveal && { body: maskCall(call) }),
        ...(differences && {
          differences: shownDifferences(differences, options.reveal === true),
        }),
      };
    }),
  };
}

/** Against what was applied last; of what is about people only that it differs. */
function shownDifferences(differences: readonly FieldDifference[], reveal: boolean) {
  return differences.map((one) => (reveal || !isPersonal(one.field) ? one : { field: one.field }));
}

/** An event without its body, and without the balance in it. */
function withoutValues(event: QueuedEvent) {
  if ('body' in event) {
    const { body, ...rest } = event;
    return { ...rest, bodyBytes: body?.length ?? 0 };
  }
  if (!('points' in event)) return event;
  const { points: _, cashback: __, ...rest } = event;
  return rest;
}
