import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bundleWidgets } from '../../../app/build/build-app.ts';
import { sayEarning } from '../../../app/extensions/loyalty-order/src/say-earning.ts';
import type {
  HistoryEntry,
  OrderEarning,
  Redemption,
  Reward,
} from '../../../app/program/answers.ts';
import {
  asksFirst,
  canRedeem,
  changeOf,
  conditionsOf,
  isRefused,
  readShop,
  redeemLabel,
  sayNearest,
  sayRedeemed,
  sayState,
  sayUsed,
  useLink,
} from '../../../app/program/sentences.ts';
import { accountStrings } from '../../../app/program/strings/account.ts';
import { en } from '../../../app/program/strings/en.ts';
import { es } from '../../../app/program/strings/es.ts';
import { orderStrings } from '../../../app/program/strings/order.ts';
import { ptBr } from '../../../app/program/strings/pt-br.ts';
import { forStaff, tillStrings } from '../../../app/program/strings/till.ts';
import { createWords } from '../../../app/program/words.ts';
import { sendTrigger } from '../../../shared/shopify/admin/send-trigger.ts';

/** `rewards.redeem` to its text, for every text of a table. */
function textsOf(table: object, path = ''): readonly (readonly [string, string])[] {
  return Object.entries(table).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[`${path}${name}`, value] as const]
      : textsOf(value, `${path}${name}.`),
  );
}

const holesOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
/** No-break spaces vary between releases of the browser's data. */
const plain = (text: string | undefined) => text?.replaceAll(/\s/g, ' ');

describe.each([
  ['the words in es', es, en],
  ['the words in pt-BR', ptBr, en],
  ['the words of the account in es', accountStrings.es, accountStrings.en],
  ['the words of the account in pt-BR', accountStrings['pt-BR'], accountStrings.en],
  ['the words of an order in es', orderStrings.es, orderStrings.en],
  ['the words of an order in pt-BR', orderStrings['pt-BR'], orderStrings.en],
  ['the words of the till in es', tillStrings.es, tillStrings.en],
  ['the words of the till in pt-BR', tillStrings['pt-BR'], tillStrings.en],
])('%s', (_, table, inEnglish) => {
  it('leave the same holes to be filled as the English ones', () => {
    const holes = (texts: ReturnType<typeof textsOf>) =>
      texts.map(([path, text]) => [path, holesOf(text)] as const).toSorted();
    expect(holes(textsOf(table))).toEqual(holes(textsOf(inEnglish)));
  });

  it('are translated', () => {
    const english = new Map(textsOf(inEnglish));
    const same = textsOf(table).filter(([path, text]) => english.get(path) === text);
    expect(same).toEqual([]);
  });
});

describe('words', () => {
  it.each([
    ['en-US', 'USD', 1234.5, '1,234.5 points', '$1,234.50'],
    ['pt-BR', 'BRL', 1234.5, '1.234,5 pontos', 'R$ 1.234,50'],
    ['es-ES', 'EUR', 12345, '12.345 puntos', '12.345,00 €'],
    ['es-MX', 'MXN', 1234.5, '1,234.5 puntos', '$1,234.50'],
    ['ja', 'JPY', 1234, '1,234 points', '¥1,234'],
  ])('are those of %s', (locale, currency, value, points, money) => {
    const words = createWords(locale, currency);
    expect(plain(words.points(value))).toBe(points);
    expect(plain(words.money(value))).toBe(money);
  });

  it.each([
    ['en', 'BRL', 'USD', 'BRL 50.00 off', 'BRL 2.50 cashback'],
    ['pt-BR', 'BRL', 'USD', 'BRL 50,00 de desconto', 'BRL 2,50 de cashback'],
    ['es', 'BRL', 'USD', '50,00 BRL de descuento', '2,50 BRL de cashback'],
    // Both are written as "$" in this language.
    ['en', 'USD', 'CAD', 'USD 50.00 off', 'USD 2.50 cashback'],
    ['en', 'USD', 'JPY', 'USD 50.00 off', 'USD 2.50 cashback'],
    ['en', 'JPY', 'USD', 'JPY 50 off', 'JPY 3 cashback'],
    ['en', 'EUR', 'EUR', '€50.00 off', '€2.50 cashback'],
  ])(
    "in %s, of a program in %s on a page in %s, name the program's currency",
    (locale, currency, pageCurrency, worth, gain) => {
      const words = createWords(locale, currency, { pageCurrency });
      const reward = { kind: 'fixed', value: 50, product: null } as const;
      expect(plain(words.worth(reward))).toBe(worth);
      expect(plain(words.gain(0, 2.5))).toBe(gain);
    },
  );

  it.each(['', 'xx', 'not a locale', 'en_', '__proto__', 'constructor'])(
    'are English where the page names no language that is spoken here (%j)',
    (locale) => expect(createWords(locale, 'no currency').points(1)).toBe('1 point'),
  );

  it('say what a purchase brings, and nothing where it brings nothing', () => {
    const words = createWords('en', 'EUR');
    expect(words.gain(12, 3)).toBe('12 points and €3.00 cashback');
    expect(words.gain(12, 0)).toBe('12 points');
    expect(words.gain(0, 0)).toBeUndefined();
  });

  it.each([
    ['fixed', 5, null, '€5.00 off'],
    ['percent', 12.5, null, '12.5% off'],
    ['fixed', 5, 'Linen scarf', '€5.00 off: Linen scarf'],
    ['percent', 100, 'Linen scarf', '100% off: Linen scarf'],
    ['free-shipping', 0, null, 'Free shipping'],
    ['cashback', 0, null, undefined],
    ['other', 0, 'Linen scarf', 'Linen scarf'],
    ['other', 0, null, undefined],
  ] as const)('say what a reward of %s (%d, %s) is worth', (kind, value, product, worth) => {
    expect(createWords('en', 'EUR').worth({ kind, value, product })).toBe(worth);
  });

  it('name the day of the reader’s own calendar, wherever the reader is', () => {
    const { date } = createWords('en', 'EUR');
    const moment = fc.date({
      min: new Date('2026-01-01T00:00:00Z'),
      max: new Date('2028-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moment, (at) => {
        const own = new Date(at.getFullYear(), at.getMonth(), at.getDate(), 12);
        expect(date(at.toISOString())).toBe(date(own.toISOString()));
        expect(date(at.toISOString())).toMatch(
          new RegExp(` ${at.getDate()}, ${at.getFullYear()}$`),
        );
      }),
    );
  });

  it('have a sentence for a failure of whatever name, and say how long to wait', () => {
    const words = createWords('en', undefined);
    const sentence = (code: string, afterSeconds?: number) => words.failure({ code, afterSeconds });
    expect(sentence('limit-reached')).toContain('the limit for this reward');
    expect(sentence('unknown-field')).toBe(en.why.technical);
    expect(sentence('toString')).toBe(en.why.technical);
    expect(sentence('too-many-requests', 20)).toContain('try again in 20 s');
  });
});

const scripts = await bundleWidgets();

describe('the words for the staff at a till', () => {
  it.each(['en', 'pt-BR', 'es'])('speak of the customer, never to them (%s)', (locale) => {
    const words = createWords(locale, 'EUR', { adapt: forStaff });
    const said = [
      ...Object.keys(words.strings.why).map((code) => words.why(code)),
      words.strings.rewards.missing,
    ].join(' ');
    // A till has no customer who could log in.
    const others = said.replace(words.strings.why['not-logged-in'], '');
    expect(others).not.toMatch(/\b(your? (cart|points|do)|você|seus?|tu carrito|tienes|te)\b/i);
  });

  it('name what only a till can be refused for', () => {
    const words = createWords('en', 'EUR', { adapt: forStaff });
    expect(words.why('challenge-wrong')).toBe('The code from the message is wrong.');
    expect(words.why('bad-token')).toContain('permission');
    expect(words.why('unheard-of')).toBe(words.strings.why.technical);
  });
});

it('the script of a page that names no language is a small one that finds it out', () => {
  expect(Object.keys(scripts)).toEqual(['', 'en', 'es', 'pt']);
  expect(gzipSync(scripts[''] ?? '').length).toBeLessThan(300);
});

describe.each([
  ['en', en],
  ['es', es],
  ['pt', ptBr],
] as const)('the script of the widget (%s)', (language, strings) => {
  const script = scripts[language] ?? '';

  it('stays below 12.5 kB when compressed', () => {
    expect(gzipSync(script).length).toBeLessThan(12_500);
  });

  it('has the sentences of its language, and of no other', () => {
    const found = [en, es, ptBr].filter(({ tryAgain }) => script.includes(tryAgain));
    expect(found).toEqual([strings]);
  });

  it('holds no way to make HTML or code of a text', () => {
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
    expect(script).not.toMatch(/new Function|DOMParser|createContextualFragment|srcdoc/);
  });

  it('sends requests only to the store that it is in', () => {
    expect(script).not.toMatch(/https?:\/\//);
  });
});

const inEnglish = createWords('en', 'EUR');

describe('a line of the history', () => {
  const entry: HistoryEntry = {
    kind: 'points',
    at: null,
    title: '',
    points: 0,
    cashback: 0,
    cancelled: false,
    code: null,
    tier: null,
  };

  it.each([
    [{ points: 49 }, '+49 points'],
    [{ points: -50, cashback: -2.5 }, '−50 points'],
    [{ cashback: 2.5 }, '+€2.50'],
    [{}, '0 points'],
    [{ kind: 'tier', points: 10 }, ''],
  ] as const)('says the change of %j', (change, said) => {
    expect(changeOf({ ...entry, ...change }, inEnglish)).toBe(said);
  });
});

describe('the sentence about a redemption', () => {
  const ready: Redemption = {
    ...{ id: 'r1', rewardId: 3, title: '3 off', points: 50, state: 'ready', code: 'THREE-1' },
    ...{ kind: 'fixed', value: 3, at: '2026-11-15T12:00:00.000Z' },
    ...{ validUntil: '2026-12-15T12:00:00.000Z', takeBackUntil: null, takeBackRefused: false },
  };

  it('says that a take back was refused, by whom, and that the code works', () => {
    expect(sayRedeemed(ready, inEnglish)).toBe('Done. Your code is THREE-1.');
    const refused = { ...ready, takeBackRefused: true };
    const sentence = 'The loyalty program refused to take it back. The code works again.';
    expect(sayRedeemed(refused, inEnglish)).toBe(sentence);
    expect(sayState(refused, inEnglish)).toBe(`${sentence} Valid until Dec 15, 2026`);
    const used = { ...refused, state: 'used' } as const;
    expect(sayState(used, inEnglish)).toBe('Used');
    expect([ready, refused, used].map(isRefused)).toEqual([false, true, false]);
    expect(isRefused({ ...ready, state: 'refused' })).toBe(true);
  });
});

describe('a sentence', () => {
  const reward = { kind: 'fixed', why: 'too-few-points', title: '' };
  const rewards = [
    { ...reward, points: 50, missingPoints: 40, title: 'Mug' },
    { ...reward, points: 90, missingPoints: 5, title: 'Scarf' },
    { ...reward, points: 9, missingPoints: 1, title: 'Trip', kind: 'other' },
    { ...reward, points: 8, missingPoints: 2, title: 'Hat', why: 'not-cumulative' },
  ];
  const ended: Redemption = {
    ...{ id: 'r1', rewardId: 3, title: '3 off', points: 50, state: 'credited', code: null },
    ...{ kind: 'store-credit', value: 3, at: '2026-11-15T12:00:00.000Z' },
    ...{ validUntil: '2026-12-15T12:00:00.000Z', takeBackUntil: null, takeBackRefused: false },
  };
  const off = { kind: 'used', off: 3, currency: 'USD' } as const;
  const dollars = () => createWords('en', 'USD');

  it.each([
    ['of the nearest reward', sayNearest({ rewards } as never, inEnglish), /5 points.*Scarf/],
    ['of store credit that ends', sayState(ended, inEnglish), /€3\.00.* Valid until Dec 15, 2026$/],
    [
      'of a goal that is passed',
      inEnglish.progress({ value: 120, goal: 100 } as never),
      /^(?!.*120).*100.*100/,
    ],
    ['of what came off', sayUsed(off, inEnglish, dollars), /\$3\.00/],
    ['of what did not', sayUsed({ ...off, off: 0 }, inEnglish, dollars), /^(?!.*\$)/],
  ])('%s says what is so, and nothing of what is beside it', (_, said, words) => {
    expect(said).toMatch(words);
  });

  it('of amounts and links is of what the store says of itself', async () => {
    const [url, currencyCode] = ['https://shop.example.com', 'BRL'];
    const shop = { primaryDomain: { url }, paymentSettings: { currencyCode } };
    const answering = (data: unknown) => readShop({ query: async () => ({ data: data as never }) });
    expect(await answering({ shop })).toEqual({ currency: 'BRL', address: url });
    expect(await answering(undefined)).toEqual({ currency: undefined, address: undefined });
  });
});

it('the link that uses a code leads to that code, whatever its characters, on pages and in workflows', async () => {
  const redemption = { state: 'ready' } as Redemption;
  const codes = fc.string({ unit: 'grapheme', minLength: 1 }).filter((code) => !/^\.+$/.test(code));
  await fc.assert(
    fc.asyncProperty(codes, async (code) => {
      const payloads: Record<string, string>[] = [];
      const ask = async (_: unknown, asked: { payload: Record<string, string> }) => {
        payloads.push(asked.payload);
        return { kind: 'data', data: {} };
      };
      const redeemed = {
        what: 'reward-redeemed',
        customerId: '7',
        reward: '',
        points: '1',
      } as const;
      await sendTrigger(ask as never, 'shop.example.com', { ...redeemed, code });
      const shop = { currency: 'EUR', address: 'https://shop.example.com/' };
      for (const link of [useLink({ ...redemption, code }, shop), payloads[0]?.['Use link']]) {
        const { origin, pathname, search, hash } = new URL(link ?? '');
        const [, route, ...rest] = pathname.split('/').map(decodeURIComponent);
        expect([origin, route, rest]).toEqual(['https://shop.example.com', 'discount', [code]]);
        expect(search + hash).toBe('?redirect=/cart');
      }
    }),
  );
});

describe('the sentence about an order', () => {
  const none: OrderEarning = {
    ...{ state: 'none', points: null, cashback: null, why: null },
    ...{ steps: [], counted: [] },
  };

  it.each([
    [{ state: 'waiting' }, /on its way to the loyalty program/],
    [{ state: 'earns', points: 49, cashback: 2.45 }, /earns you 49 points and €2.45 cashback\./],
    [{ state: 'earns' }, /earns you points\./],
    [{ state: 'earns', points: 49 }, /^This order earns you 49 points\.$/],
    [{ state: 'none', why: 'no-points' }, /^This order earns no points/],
    [{ state: 'none', why: 'cancelled' }, /was cancelled/],
  ] as const)('of %j', (earning, said) => {
    expect(sayEarning({ ...none, ...earning }, inEnglish).main).toMatch(said);
  });

  it('is followed by how its amount came about, and by what was taken back when', () => {
    const steps = [
      { kind: 'goods', amount: 98 },
      { kind: 'tax', amount: -16.34 },
    ] as const;
    const counted = [
      { at: '2026-11-12T10:00:00.000Z', amount: 163.33 },
      { at: '2026-11-14T10:00:00.000Z', amount: 81.66 },
    ];
    const said = sayEarning({ ...none, state: 'earns', points: 81.66, steps, counted }, inEnglish);
    expect(said.lines).toEqual([
      '€98.00 for the items you keep, without shipping',
      '−€16.34 taxes',
      '€81.66 counts for points',
      'Nov 12, 2026: €163.33 counted',
      'Nov 14, 2026: −€81.67 taken back',
    ]);
    const cancelled = { ...none, why: 'cancelled', steps, counted } as const;
    expect(sayEarning(cancelled, inEnglish).lines).toEqual([]);
    expect(sayEarning({ ...none, state: 'earns', points: 98 }, inEnglish).lines).toEqual([]);
  });

  it('names no day: the service says of no order when it gives its points', () => {
    const { note } = sayEarning({ ...none, state: 'earns', points: 49 }, inEnglish);
    expect(note).toBe('Your history shows them once added.');
  });
});

describe('before store credit is taken', () => {
  const reward: Reward = {
    ...{ id: 8, title: 'Cashback', description: '', points: 0, kind: 'store-credit', value: 0 },
    ...{ product: null, redeemable: true, why: null, missingPoints: null },
    ...{ tiers: [], requirements: null },
    cashback: { least: 0.01, most: 44, validUntil: '2026-12-18T12:00:00Z' },
  };
  const balance = { points: 1000, cashback: 50 };
  const words = createWords('en', 'EUR');

  it('its price in points stands on the button, of the chosen amount', () => {
    const label = (value?: number, known: typeof balance | undefined = balance) =>
      redeemLabel(reward, known, words, value);
    expect(label()).toBe('Get it as store credit for 880 points');
    expect(label(1.1)).toBe('Get it as store credit for 22 points');
    expect(redeemLabel({ ...reward, kind: 'cashback' }, balance, words, 5)).toBe(
      'Redeem for 100 points',
    );
    const isNotKnown = redeemLabel(reward, undefined, words, 1.1);
    expect(isNotKnown).toBe('Get it as store credit for €1.10');
  });

  it('more than half of the balance asks first, a code does not', () => {
    const asks = (value: number) => asksFirst(reward, balance, value);
    expect([0.01, 25, 25.01, 44].map(asks)).toEqual([false, false, true, true]);
    expect(asksFirst(reward, undefined, 0.01)).toBe(true);
    expect(asksFirst({ ...reward, kind: 'cashback' }, balance, 44)).toBe(false);
  });

  it('its end is said', () => {
    expect(conditionsOf(reward, words)).toBe('Valid until Dec 18, 2026');
  });

  it('a reward that the store cannot give says so, however many points are missing', () => {
    const missing = { redeemable: false, why: 'too-few-points', missingPoints: 34.16 } as const;
    const other: Reward = { ...reward, ...missing, kind: 'other', cashback: null };
    expect(conditionsOf(other, words)).toBe('This reward cannot be redeemed in the online store.');
    expect(conditionsOf({ ...other, kind: 'fixed' }, words)).toContain('34.16');
  });

  it('there is no button without an amount', () => {
    expect(canRedeem(reward)).toBe(true);
    expect(canRedeem({ ...reward, cashback: null })).toBe(false);
  });
});
