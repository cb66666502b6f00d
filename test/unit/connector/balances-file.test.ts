import { describe, expect, it } from 'vitest';
import { readBalances } from '../../../scripts/connector/set-up/balances-file.ts';
import { shopifyCommands } from '../../../shared/shopify/commands.ts';
import { vendureCommands } from '../../../shared/vendure/commands.ts';

const OF_SHOPIFY = shopifyCommands.customerId;
const read = (text: string, id = OF_SHOPIFY) => readBalances(Buffer.from(text), id);
const rowsIn = (text: string) => {
  const { rows, faults } = read(text);
  expect(faults).toEqual([]);
  return rows.map(({ line, who, amount, reason }) => [line, who, amount, reason]);
};
const faultsIn = (text: string) => read(text).faults.map(({ line, what }) => `${line}: ${what}`);

describe('a file of balances', () => {
  it.each([
    ['commas', 'customer,points,reason\n7,100,moved\n8,5,\n'],
    ['semicolons', 'customer;points;reason\n7;100;moved\n8;5;\n'],
    ['a byte order mark and CRLF', '\uFEFFcustomer,points,reason\r\n7,100,moved\r\n8,5,\r\n'],
    ['no line end at its end', 'customer,points,reason\n7,100,moved\n8,5,'],
    ['quotation marks', '"customer","points","reason"\n"7","100","moved"\n"8","5",""\n'],
    ['other columns first, and capitals', 'Reason, POINTS ,Customer\nmoved,100,7\n,5,8\n'],
    ["the store's ids", "customer,points,reason\n'7,100,moved\ngid://shopify/Customer/8,5,\n"],
  ])('is read with %s', (_, text) => {
    expect(rowsIn(text)).toEqual([
      [2, '7', 100, 'moved'],
      [3, '8', 5, ''],
    ]);
  });

  it('has cells with dividers, quotation marks and line ends, and lines that count them', () => {
    const text =
      'email,points,reason\na@x.example,1,"one, ""two""\nthree"\n\n  \nb@x.example,2,5" big';
    expect(rowsIn(text)).toEqual([
      [2, 'a@x.example', 1, 'one, "two"\nthree'],
      [6, 'b@x.example', 2, '5" big'],
    ]);
  });

  it.each([
    ['1', 100],
    ['1.5', 150],
    ['0,05', 5],
    ['21474836.47', 2_147_483_647],
  ])('has cashback of %s, in hundredths', (cell, amount) => {
    expect(rowsIn(`customer;cashback\n7;${cell}\n`)).toEqual([[2, '7', amount, '']]);
  });

  it('has all its faults found at once, each with its line, and none repeats what it says', () => {
    const rows = [
      ...['who@x.example,0', 'nobody-at-x,-1', ',1.5', 'a@x.example,2147483648', 'b@x.example'],
      ...['"c@x.example,3', 'd@x.example,1e3', 'e@x.example,', '"f@x.example"g,1', 'h@x.example,7'],
    ];
    const found = faultsIn(`email,points\n${rows.join('\n')}\n`);
    const noNumber = 'points must be a whole number, above 0';
    expect(found).toEqual([
      `2: ${noNumber}`,
      '3: the e-mail address is not one',
      `3: ${noNumber}`,
      '4: the e-mail address is not one',
      `4: ${noNumber}`,
      '5: it is more than 2,147,483,647 points',
      '6: it has 1 columns, and the header 2',
      '7: its quotation marks do not match',
      `8: ${noNumber}`,
      `9: ${noNumber}`,
      '10: its quotation marks do not match',
    ]);
    expect(found.join()).not.toMatch(/nobody|x\.example/);
  });

  it.each(['1.234', '1.', '.5', '1,234.50', '-1', '0.00', '1e2', '٣'])(
    'has no cashback of %s',
    (cell) => {
      const what = 'cashback must be a number with two decimals at most, above 0';
      expect(faultsIn(`customer;cashback\n7;${cell}\n`)).toEqual([`2: ${what}`]);
    },
  );

  it.each([
    ['', ['needs the column customer or email', 'needs the column points', 'no rows']],
    ['customer,points\n', ['no rows']],
    ['customer,email,points\n7,a@x.example,1\n', ['needs the column customer or email, once']],
    ['customer,customer,points\n7,7,1\n', ['customer or email, once', 'points or cashback, once']],
    ['customer,points,birthday\n7,1,1990-01-01\n', ['column 3 has an unknown name']],
    ['a@x.example,100\n7,1\n', ['column 1', 'column 2', 'customer or email', 'points or cashback']],
  ])('is refused for its header: %j', (text, wanted) => {
    const found = faultsIn(text);
    expect(found.map((one, index) => one.includes(wanted[index] ?? '-'))).toEqual(
      wanted.map(() => true),
    );
    expect(found.join()).not.toContain('x.example');
  });

  it('is refused in another encoding, and with a reason that is too long', () => {
    const latin = Buffer.from('customer,points,reason\n7,1,Jos\u00e9\n', 'latin1');
    expect(readBalances(latin, OF_SHOPIFY).faults).toEqual([
      { line: 1, what: 'the file is not UTF-8: save it as such' },
    ]);
    expect(faultsIn(`customer,points,reason\n7,1,${'x'.repeat(256)}\n`)).toEqual([
      '2: the reason has more than 255 characters',
    ]);
  });

  it('may have a million rows and no more', () => {
    expect(faultsIn(`customer,points\n${'7,1\n'.repeat(1_000_001)}`)).toEqual([
      '1: there are more than 1000000 rows: divide the file',
    ]);
  });
});

it('takes the ids of each platform, and of no other', () => {
  const uuid = '6f9619ff-8b86-d011-b42d-00c04fc964ff';
  const ids = ["'7061", uuid, 'gid://shopify/Customer/7061', '7061', 'anna'];
  const text = `customer,points\n${ids.map((id) => `${id},5`).join('\n')}`;
  const whoIn = (id: RegExp) => read(text, id).rows.map(({ who }) => who);
  expect(whoIn(OF_SHOPIFY)).toEqual(['7061', '7061', '7061']);
  expect(whoIn(vendureCommands.customerId)).toEqual(['7061', uuid, '7061']);
});
