import {
  SECRET_PURPOSES,
  type SecretPurpose,
  secretForms,
} from '../../../shared/services/secret-forms.ts';
import { BadArguments } from '../problem.ts';

interface AskedField {
  readonly field: string;
  readonly question: string;
}

export type SecretFields = Readonly<Record<string, string>>;

/** What a person is asked for, in the words of the place where it is found. */
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

/** What is wrong with the fields, in words without their values; undefined: the functions take them. */
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
  // In the header that carries both, a colon ends the token.
  if (purpose === 'loyalty' && `${fields.token}`.includes(':'))
    return 'token must not hold a colon';
  const [torn] = Object.entries(fields).filter(([, value]) => !/^[\x21-\x7e]+$/.test(`${value}`));
  return torn && `${torn[0]} holds a space, a line break or a letter that no such value has`;
}

const nameOf = ({ field }: AskedField) => field;
