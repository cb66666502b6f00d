import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { personalTexts, scrub } from '../../../shared/loyalty/read-error.ts';

const person = [
  'Zoë Sample-Öz',
  'zoe.sample@example.com',
  '+55 (11) 98765-4321',
  '123.456.789-09',
  '1990-05-01T00:00:00Z',
];

describe('scrubbing', () => {
  it.each([
    ['Customer Zoë Sample-Öz not found', 'Customer *** not found'],
    ['customer ZOË SAMPLE-ÖZ', 'customer ***'],
    ['Hello Zoë!', 'Hello ***!'],
    ['/v1/pvt/Customer/Zo%C3%AB%20Sample-%C3%96z failed', '/v1/pvt/Customer/*** failed'],
    ['see <other.person@example.org>, please', 'see *** please'],
    ['phone 11 98765 4321 is taken', 'phone *** is taken'],
    ['document 12345678909 is taken', 'document *** is taken'],
    ['born on 01/05/1990', 'born on ***'],
    ['order 12345 is too old: 30 days', 'order 12345 is too old: 30 days'],
    ['first\r\n\tsecond\u0007', 'first second '],
  ])('turns %j into %j', (text, scrubbed) => {
    expect(scrub(text, person)).toBe(scrubbed);
  });

  it('hides very short names only as whole words', () => {
    expect(scrub('Li is over the limit, LI', ['Li'])).toBe('*** is over the limit, ***');
    expect(scrub('a to b', ['a'])).toBe('a to b');
  });

  it('ends with a name of one emoji', () => {
    expect(scrub('Hello 🎁 and 🎁🎁', ['🎁'])).toBe('Hello *** and ***');
  });

  it('hides two texts that overlap', () => {
    expect(scrub('<abcdefgh>', ['abcdef', 'cdefgh'])).toBe('<***>');
    expect(scrub('<a1a1a1>', ['a1a1'])).toBe('<***>');
  });

  it('finds a text with any white space', () => {
    expect(scrub('at A1 \t B2 now', [' A1\n\nB2 '])).toBe('at *** now');
  });

  it('reads special characters of a pattern literally', () => {
    expect(scrub('a.*b(c)[d]{2}|^$\\e and axxb', ['a.*b(c)[d]{2}|^$\\e'])).toBe('*** and axxb');
  });

  it('cuts long texts after scrubbing, and does not quote endless ones', () => {
    expect(scrub('x'.repeat(1000), [])).toBe(`${'x'.repeat(299)}…`);
    expect(scrub(`${'- '.repeat(140)}Robin Sample`, ['Robin Sample'])).not.toMatch(/Ro|Sa/);
    expect(scrub('x'.repeat(4001), [])).toBe('(a text of 4001 characters)');
  });

  it('never leaves a hidden text of four characters or more', () => {
    // Without stars, so that the mask itself is not found as a hidden text.
    const hidden = fc
      .string({ unit: 'binary', minLength: 4, maxLength: 40 })
      .filter(
        (text) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim().length >= 4 && !/[*…]/.test(text),
      );
    const piece = fc.string({ unit: 'binary', maxLength: 20 });
    fc.assert(
      fc.property(
        fc.array(hidden, { minLength: 1, maxLength: 5 }),
        fc.array(fc.oneof(piece, fc.nat(4)), { maxLength: 12 }),
        (texts, pieces) => {
          const message = pieces
            .map((part) => (typeof part === 'number' ? (texts[part % texts.length] ?? '') : part))
            .join('');
          const scrubbed = scrub(message, texts);
          expect(scrubbed.length).toBeLessThanOrEqual(300);
          for (const text of texts) expect(scrubbed.includes(text)).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('ends on texts that repeat what it searches for', () => {
    for (const unit of ['a', '1', '1 ', '@', 'aaaa ', '(('])
      expect(scrub(unit.repeat(4000 / unit.length), ['aaaa']).length).toBeLessThanOrEqual(300);
  });
});

describe('personal texts of a request', () => {
  it('are only those of customers, staff and free text, not the names of metadata', () => {
    const order = {
      OriginalId: 'order-1',
      OrderStatus: 'paid',
      Customer: { OriginalId: 'c-1', Name: 'Robin Sample', IsEnrolled: true, Email: null },
      Products: [{ Title: 'Linen shirt' }],
      SalesPerson: { OriginalId: 's-1', Name: 'Alex Sample' },
      Metadatas: [{ Name: 'birthday', Value: 'May 1st' }],
      CustomerId: 'c-2',
      Reason: 'Spoke to Robin',
    };
    expect(personalTexts(order)).toEqual([
      'c-1',
      'Robin Sample',
      's-1',
      'Alex Sample',
      'May 1st',
      'c-2',
      'Spoke to Robin',
    ]);
    expect(personalTexts([{ QuizQuestionId: 1, OpenAnswer: 'blue' }])).toEqual(['blue']);
    expect(personalTexts({ customerId: 'c-3' })).toEqual(['c-3']);
    const typed = { TransactionId: 't', Phone: '+49 30 1', Email: 'a@example.com', Code: '1234' };
    expect(personalTexts(typed)).toEqual(['+49 30 1', 'a@example.com', '1234']);
  });
});
