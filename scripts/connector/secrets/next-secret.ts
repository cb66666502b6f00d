import type { SecretPurpose } from '../../../shared/services/secret-forms.ts';
import type { SecretFields } from './purposes.ts';
import type { ReadSecret } from './read-secret.ts';

export type Change =
  /** In the place of whatever is there. */
  | 'replace'
  /** The current webhook secret goes on being accepted beside the new one. */
  | 'rotate'
  /** Only the newest webhook secret is accepted from now on. */
  | 'finish';

/** What is to be stored, or why nothing is. */
export type NextSecret =
  | { readonly kind: 'store'; readonly fields: SecretFields; readonly overlap: boolean }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string }
  /** Webhooks under way would be refused: a person must want that. */
  | {
      readonly kind: 'confirm';
      readonly fields: SecretFields;
      readonly overlap: boolean;
      readonly why: string;
    };

export function nextSecret(
  purpose: SecretPurpose,
  change: Change,
  stored: ReadSecret,
  given: SecretFields,
): NextSecret {
  if (purpose !== 'webhook') return { kind: 'store', fields: given, overlap: false };
  const current = stored.kind === 'there' ? String(stored.fields.current) : undefined;
  switch (change) {
    case 'replace':
      if (current === undefined || current === given.current) {
        return { kind: 'store', fields: given, overlap: false };
      }
      return {
        kind: 'confirm',
        fields: given,
        overlap: false,
        why: 'A webhook secret is there already, and what is signed with it would be refused. --rotate accepts both.',
      };
    case 'rotate':
      if (current === undefined) {
        return {
          kind: 'refused',
          why: 'There is no webhook secret to rotate yet.',
          next: 'Run the same command without --rotate.',
        };
      }
      if (current === given.current) {
        return {
          kind: 'refused',
          why: 'That is the secret which is there already; nothing was changed.',
          next: 'Make a new client secret in the app first, then give that one.',
        };
      }
      return rotated(given, current, stored);
    case 'finish':
      if (current === undefined || !(stored.kind === 'there' && stored.fields.previous)) {
        return {
          kind: 'refused',
          why: 'No rotation is under way: there is no older webhook secret to drop.',
          next: 'Nothing needs to be done.',
        };
      }
      return { kind: 'store', fields: { current }, overlap: false };
  }
}

/** Only two are accepted at a time: a second rotation drops the oldest of three. */
function rotated(given: SecretFields, current: string, stored: ReadSecret): NextSecret {
  const fields = { ...given, previous: current };
  const older = stored.kind === 'there' ? stored.fields.previous : undefined;
  if (!older || older === given.current) return { kind: 'store', fields, overlap: true };
  return {
    kind: 'confirm',
    fields,
    overlap: true,
    why: 'A rotation is under way already, and what is signed with the oldest of the three secrets would be refused.',
  };
}
