import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { adviceOn, errorAdvice } from '../../../shared/loyalty/error-advice.ts';
import { classify, errorNames, nameOfError } from '../../../shared/loyalty/error-codes.ts';

interface Operation {
  readonly operationId: string;
  readonly 'x-source': string;
  readonly responses: Record<string, unknown>;
}

const contract = parse(readFileSync('shared/loyalty/openapi.yaml', 'utf8'));
const operations = Object.values<Record<string, Operation>>(contract.paths).flatMap((path) =>
  Object.values(path),
);

describe('the contract', () => {
  it('has 35 operations, each with its source, an answer and a note on what is not known', () => {
    expect(operations).toHaveLength(35);
    const sources = operations.map((operation) => operation['x-source']);
    expect(sources.filter((source) => source === 'contract')).toHaveLength(16);
    expect(sources.filter((source) => source === 'documented')).toHaveLength(19);
    for (const { operationId, responses } of operations) {
      expect(Object.keys(responses), operationId).toEqual(
        expect.arrayContaining(['200', 'default']),
      );
    }
  });

  it('has the three point events', () => {
    expect(Object.keys(contract.webhooks)).toEqual(['Point_Add', 'Point_Update', 'Point_Removed']);
  });

  it('requires Basic authentication for every operation', () => {
    expect(contract.security).toEqual([{ basic: [] }]);
    expect(contract.components.securitySchemes.basic).toMatchObject({
      type: 'http',
      scheme: 'basic',
    });
    expect(operations.filter((operation) => 'security' in operation)).toEqual([]);
  });
});

describe('the error table', () => {
  const schema = contract.components.schemas.ErrorCode;

  it('has every number of the contract from 0 to 120, without gaps', () => {
    const numbers = Array.from({ length: 121 }, (_, number) => number);
    expect(schema.enum).toEqual(numbers);
    expect(Object.keys(errorNames).map(Number)).toEqual(numbers);
  });

  it('has exactly the names of the contract, with their misspellings', () => {
    const names = Object.values(errorNames);
    expect(names).toEqual(schema['x-enum-varnames']);
    expect(names).toContain('Order_OrderCompletedNeddCompletedDate');
    expect(new Set(names).size).toBe(121);
  });

  it('gives each error advice that a person can act on', () => {
    for (const name of Object.values(errorNames)) {
      const advice = adviceOn(name) ?? '';
      expect(advice.length, name).toBeGreaterThan(20);
      expect(advice.length, name).toBeLessThanOrEqual(120);
    }
    expect(adviceOn('GenericError')).toBe(errorAdvice.GenericError);
    expect(adviceOn('toString')).toBeUndefined();
  });

  it('classifies a code as done only for operations whose goal is then reached', () => {
    expect(classify(33, 'cancelPosOrder')).toBe('done');
    expect(classify(33, 'sendOrder')).toBe('rejected');
    expect(classify(37, 'cancelOrder')).toBe('done');
    expect(classify(57, 'deactivateCoupon')).toBe('done');
    expect(classify(66, 'changeCashback')).toBe('done');
    expect(classify(74, 'cancelRedemption')).toBe('done');
    expect(classify(73, 'cancelRedemption')).toBe('rejected');
    expect(classify(13, 'cancelPosOrder')).toBe('rejected');
    expect(classify(103, 'sendOrder')).toBe('throttled');
  });

  it('retries what no request is to blame for, by its name, and holds up all calls for no other code', () => {
    const FAULT =
      /Cant_(Insert|Update)|NotInserted|GenericError|InternalError|CreationError|CancellationError|ErrorCalculating|Configuration_(Get_)?Error/;
    const MADE_MEANWHILE = /^ApiCustomer_InsertAlreadyExists$|^PdvBranch_OriginalIdAlreadyExists$/;
    const ACCOUNT = /KeysValidation$|^Api(Domain|Tenant)_NotFound$|InvalidCredentials$|^Reinstall/;
    for (const [code, name] of Object.entries(errorNames)) {
      const isRetried = FAULT.test(name) || MADE_MEANWHILE.test(name);
      const other = name === 'Too_Many_Requests' ? 'throttled' : 'rejected';
      const expected = isRetried ? 'retry' : ACCOUNT.test(name) ? 'misconfigured' : other;
      expect(classify(Number(code), 'sendOrder'), name).toBe(expected);
    }
  });

  it('rejects an unknown number, so that a person sees it', () => {
    expect(classify(121, 'sendOrder')).toBe('rejected');
    expect(classify(-1, 'sendOrder')).toBe('rejected');
    expect(classify(Number.NaN, 'sendOrder')).toBe('rejected');
    expect(nameOfError(121)).toBeUndefined();
  });
});
