import { errorNames } from '../../../shared/loyalty/error-codes.ts';
import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { SandboxSettings } from '../settings.ts';
import { productCode } from './assigned-numbers.ts';
import { done, type Outcome, type Refusal } from './outcome.ts';

/** Envelope B: one object or an error with its number. */
export function toSimpleEnvelope<Result>(outcome: Outcome<Result>) {
  return outcome.kind === 'done'
    ? { ErrorMessage: null, ErrorCode: null, Result: outcome.result, HasError: false }
    : { ErrorMessage: outcome.message, ErrorCode: outcome.code, Result: null, HasError: true };
}

/**
 * For the operations that the service moves from envelope B to A. Code and CodeName are the sandbox's
 * own: only their form is shown.
 */
export function toMovedEnvelope<Result>(
  outcome: Outcome<Result>,
  { envelope }: Pick<SandboxSettings, 'envelope'>,
) {
  const simple = toSimpleEnvelope(outcome);
  if (envelope === 'B') return simple;
  if (outcome.kind === 'done') {
    return { ...simple, Code: '00', CodeName: 'Success', Severity: 0, HasWarning: false };
  }
  return {
    ...simple,
    ErrorCode: envelope === 'A' ? outcome.code : null,
    Code: '90',
    CodeName: errorNames[outcome.code].replaceAll('_', ''),
    Severity: 2,
    HasWarning: false,
  };
}

/** For an answer without an envelope. */
export function toBareObject<Result>(outcome: Outcome<Result>) {
  return outcome.kind === 'done' ? outcome.result : toFailure(outcome);
}

export interface SavedProduct {
  readonly product: Schemas['ProductResult'];
  readonly was: 'created' | 'updated';
}

/** Envelope A. */
export function toProductEnvelope(
  outcome: Outcome<SavedProduct>,
): Schemas['ProductUpdateResponse'] {
  const simple = toSimpleEnvelope(outcome.kind === 'done' ? done(outcome.result.product) : outcome);
  if (outcome.kind === 'refused') {
    return { ...simple, ...productCode.notSaved, Severity: 2, HasWarning: false };
  }
  // Such a product is saved, but the rule of extra points for products cannot use it.
  const { ProductPrice } = outcome.result.product;
  return ProductPrice === null || ProductPrice === 0
    ? { ...simple, ...productCode.withoutPrice, Severity: 1, HasWarning: true }
    : { ...simple, ...productCode[outcome.result.was], Severity: 0, HasWarning: false };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly size: number;
  readonly number: number;
}

/** Of a redemption. */
export function toListOrFailure<Item>(outcome: Outcome<Page<Item>>) {
  return outcome.kind === 'done' ? toListShape(outcome.result) : toFailure(outcome);
}

/** The list shape without error members. */
function toListShape<Item>({ items, total, size, number }: Page<Item>) {
  return {
    Items: items,
    TotalItemCount: total,
    PageSize: size,
    PageNumber: number,
    HasNextPage: number * size < total,
  };
}

/** Envelope C. It has no member for the error's number; that the first message names it is not shown. */
export function toListEnvelope<Item>(outcome: Outcome<Page<Item>>) {
  if (outcome.kind === 'done') {
    return { ...toListShape(outcome.result), HasError: false, ErrorMessages: [] };
  }
  return {
    Items: null,
    TotalItemCount: 0,
    PageSize: 0,
    PageNumber: 0,
    HasNextPage: false,
    HasError: true,
    ErrorMessages: [`${errorNames[outcome.code]}: ${outcome.message}`],
  };
}

/** Envelope D: all errors at once, each with its field. */
export function toProductPointsEnvelope(
  outcome:
    | { readonly kind: 'done'; readonly result: Schemas['ProductPoints'][] }
    | {
        readonly kind: 'refused';
        readonly errors: Required<Schemas['ErrorDescription']>[];
      }
    | Refusal,
): Schemas['ProductPointsResponse'] {
  if (outcome.kind === 'done') {
    return {
      HasError: false,
      ErrorMessages: [],
      ErrorMessage: '',
      ErrorDescriptions: [],
      Result: outcome.result,
    };
  }
  const errors =
    'errors' in outcome
      ? outcome.errors
      : [{ Description: outcome.code, Field: '', FieldText: outcome.message }];
  const messages = errors.map(({ Field, FieldText }) => `${Field} ${FieldText}`.trim());
  return {
    HasError: true,
    ErrorMessages: messages,
    ErrorMessage: messages[0] ?? '',
    ErrorDescriptions: errors,
    Result: null,
  };
}

/** For the operations whose known answer has no error members. */
function toFailure({ code, message }: Refusal): Schemas['Failure'] {
  return {
    HasError: true,
    ErrorMessage: message,
    ErrorCode: code,
    ErrorMessages: [message],
    Result: null,
  };
}
