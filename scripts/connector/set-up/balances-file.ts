import { counted } from '../ground/terminal/text.ts';

export interface BalanceRow {
  readonly line: number;
  /** A customer's id in the store, or the e-mail address. */
  readonly who: string;
  /** Whole points, or hundredths of the currency's unit. */
  readonly amount: number;
  readonly reason: string;
}

/** Never repeats what the file says: it may be personal. */
export interface Fault {
  readonly line: number;
  readonly what: string;
}

export interface BalancesFile {
  readonly by: 'customer' | 'email';
  readonly unit: 'points' | 'cashback';
  readonly rows: readonly BalanceRow[];
  readonly faults: readonly Fault[];
}

const COLUMNS = ['customer', 'email', 'points', 'cashback', 'reason'];
/** Points are an int32 in the service's contract, and cashback is kept as points. */
const MOST = 2_147_483_647;
const MOST_ROWS = 1_000_000;
const LONGEST_REASON = 255;

/** Reads the whole file, and finds all that is wrong with it without asking anyone. `customerId`: of the platform. */
export function readBalances(bytes: Uint8Array, customerId: RegExp): BalancesFile {
  const text = new TextDecoder().decode(bytes);
  const [first, ...records] = recordsOf(text);
  const header = first?.cells?.map((cell) => cell.trim().toLowerCase()) ?? [];
  const isOne = (name: string, other: string) =>
    header.includes(name) !== header.includes(other) && new Set(header).size === header.length;
  const faults = (whats: readonly (string | false)[], line = 1): readonly Fault[] =>
    whats.flatMap((what) => (what === false ? [] : [{ line, what }]));
  const by = header.includes('email') ? 'email' : 'customer';
  const unit = header.includes('cashback') ? 'cashback' : 'points';
  const wrong = faults([
    text.includes('\uFFFD') && 'the file is not UTF-8: save it as such',
    ...header.map((one, n) => !COLUMNS.includes(one) && `column ${n + 1} has an unknown name`),
    !isOne('customer', 'email') && 'the header needs the column customer or email, once',
    !isOne('points', 'cashback') && 'the header needs the column points or cashback, once',
    records.length === 0 && 'there are no rows below the header',
    records.length > MOST_ROWS && `there are more than ${MOST_ROWS} rows: divide the file`,
  ]);
  if (wrong.length > 0) return { by, unit, rows: [], faults: wrong };
  const read = records.map(({ line, cells }) => {
    if (!cells) return faults(['its quotation marks do not match'], line);
    const [had, wants] = [cells.length, header.length];
    if (had !== wants) return faults([`it has ${had} columns, and the header ${wants}`], line);
    const cellOf = (name: string) => cells[header.indexOf(name)]?.trim() ?? '';
    const who = (by === 'email' ? EMAIL : customerId).exec(cellOf(by))?.[1] ?? '';
    const amount = readAmount(unit, cellOf(unit));
    const reason = cellOf('reason');
    const found = faults(
      [
        who === '' && `the ${by === 'email' ? 'e-mail address' : 'id of the customer'} is not one`,
        !(amount > 0) && `${unit} must be ${AMOUNTS[unit]}, above 0`,
        amount > MOST && `it is more than ${amountText(unit, MOST)}`,
        reason.length > LONGEST_REASON && `the reason has more than ${LONGEST_REASON} characters`,
      ],
      line,
    );
    return found.length > 0 ? found : { line, who, amount, reason };
  });
  return {
    ...{ by, unit },
    rows: read.flatMap((one) => ('who' in one ? [one] : [])),
    faults: read.flatMap((one) => ('who' in one ? [] : one)),
  };
}

const EMAIL = /^([^\s@]+@[^\s@]+)$/;
const AMOUNTS = { points: 'a whole number', cashback: 'a number with two decimals at most' };

/** Not a number: it is none of that form. */
function readAmount(unit: BalancesFile['unit'], cell: string): number {
  if (unit === 'points') return /^\d{1,15}$/.test(cell) ? Number(cell) : Number.NaN;
  const [, whole, decimals = ''] = /^(\d{1,13})(?:[.,](\d{1,2}))?$/.exec(cell) ?? [];
  return Number(`${whole}${decimals.padEnd(2, '0')}`);
}

export const amountText = (unit: BalancesFile['unit'], amount: number): string =>
  unit === 'points' ? counted(amount, 'point') : `${numberText(unit, amount)} of cashback`;

export const numberText = (unit: BalancesFile['unit'], amount: number): string =>
  unit === 'points' ? String(amount) : (amount / 100).toFixed(2);

/** One cell, quoted or not, and what ends it. */
const CELLS = {
  ',': /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n][^,\r\n]*)?)(,|\r\n?|\n|$)/y,
  ';': /(?:"([^"]*(?:""[^"]*)*)"|([^";\r\n][^;\r\n]*)?)(;|\r\n?|\n|$)/y,
};

/**
 * The records of a CSV file (RFC 4180, or with semicolons) without empty ones, each with the line where it begins.
 * Without cells where quotation marks do not match; then the next line is read as another record.
 */
function* recordsOf(text: string) {
  const divider = /^[^\r\n]*;/.test(text) ? ';' : ',';
  const cell = CELLS[divider];
  let cells: string[] | undefined = [];
  let [line, begins] = [1, 1];
  for (let at = 0; at < text.length; ) {
    cell.lastIndex = at;
    const [all, quoted, plain = '', end] = cell.exec(text) ?? [];
    at = all === undefined ? text.indexOf('\n', at) + 1 || text.length : at + all.length;
    line += all?.match(/\r\n?|\n/g)?.length ?? (all === undefined ? 1 : 0);
    if (all === undefined) cells = undefined;
    else cells?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === divider && at < text.length) continue;
    if (end === divider) cells?.push('');
    if (cells?.length !== 1 || cells[0]?.trim() !== '') yield { line: begins, cells };
    cells = [];
    begins = line;
  }
}
