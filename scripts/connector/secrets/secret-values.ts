import {
  SECRET_PURPOSES,
  type SecretPurpose,
  secretForms,
} from '../../../shared/services/shop-secrets.ts';
import { BadArguments } from '../exit.ts';
import type { ReadSecret } from './read-secret.ts';

interface AskedField {
  readonly field: string;
  readonly question: string;
}

export type SecretFields = Readonly<Record<string, string>>;

/** The fields to ask for, named as in the place where the user finds them. */
export function fieldsOf(purpose: SecretPurpose, olderApp: boolean): readonly AskedField[] {
  switch (purpose) {
    case 'webhook':
      return [{ field: 'current', question: "the app's client secret, which signs its webhooks" }];
    case 'loyalty':
      return [
        { field: 'token', question: "the loyalty service's token" },
        { field: 'key', question: "the loyalty service's key" },
      ];
    case 'store':
      return olderApp
        ? [{ field: 'accessToken', question: "the app's Admin API access token" }]
        : [
            { field: 'clientId', question: "the app's client id" },
            { field: 'clientSecret', question: "the app's client secret" },
          ];
  }
}

export function parsePurpose(text: string): SecretPurpose {
  const purpose = SECRET_PURPOSES.find((one) => one === text);
  if (purpose) return purpose;
  throw new BadArguments(`a secret is for ${SECRET_PURPOSES.join(', ')}, not for "${text}".`);
}

/** What is wrong with the fields, without their values; undefined: nothing. */
export function faultIn(
  purpose: SecretPurpose,
  fields: Readonly<Record<string, unknown>>,
): string | undefined {
  const known = new Set([false, true].flatMap((older) => fieldsOf(purpose, older)).map(nameOf));
  const unknown = Object.keys(fields).filter((name) => !known.has(name));
  // A misspelt field would be stored and never read.
  if (unknown.length > 0) {
    return `${unknown.join(', ')} is not a field of a ${purpose} secret (${[...known].join(', ')})`;
  }
  const parsed = secretForms[purpose](fields);
  if (parsed.kind === 'fault') return `${parsed.field} ${parsed.why}`;
  // In the header that contains both, a colon ends the token.
  if (purpose === 'loyalty' && `${fields.token}`.includes(':'))
    return 'token must not contain a colon';
  const [torn] = Object.entries(fields).filter(([, value]) => !/^[\x21-\x7e]+$/.test(`${value}`));
  return torn && `${torn[0]} contains a space, a line break or an invalid character`;
}

const nameOf = ({ field }: AskedField) => field;

export type Change =
  /** Replaces the stored value. */
  | 'replace'
  /** The current webhook secret stays accepted beside the new one. */
  | 'rotate'
  /** Only the newest webhook secret is accepted from now on. */
  | 'finish';

/** What to store, or why nothing is stored. */
export type NextSecret =
  | { readonly kind: 'store'; readonly fields: SecretFields; readonly overlap: boolean }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string }
  /** Webhooks signed with the current secret would be refused: the user must confirm that. */
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
        why: 'There is already a webhook secret, and webhooks signed with it would be refused. --rotate accepts both.',
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
          why: 'This secret is already stored; nothing was changed.',
          next: 'Create a new client secret in the app first, then enter that one.',
        };
      }
      return rotated(given, current, stored);
    case 'finish':
      if (current === undefined || !(stored.kind === 'there' && stored.fields.previous)) {
        return {
          kind: 'refused',
          why: 'There is no rotation to finish: only one webhook secret is stored.',
          next: 'Nothing needs to be done.',
        };
      }
      return { kind: 'store', fields: { current }, overlap: false };
  }
}

/** At most two are accepted: a second rotation drops the oldest of three. */
function rotated(given: SecretFields, current: string, stored: ReadSecret): NextSecret {
  const fields = { ...given, previous: current };
  const older = stored.kind === 'there' ? stored.fields.previous : undefined;
  if (!older || older === given.current) return { kind: 'store', fields, overlap: true };
  return {
    kind: 'confirm',
    fields,
    overlap: true,
    why: 'A rotation is already running, and webhooks signed with the oldest of the three secrets would be refused.',
  };
}
