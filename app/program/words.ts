import type { RedemptionState, Reward, TierGoal } from './answers.ts';
import type { Failure } from './ask.ts';
import { type Language, SAME_SENTENCE, type Strings } from './strings/en.ts';
import { languages } from './strings/languages.ts';

export type Words = ReturnType<typeof createWords>;

interface WordOptions {
  /** That of the other prices on the page. */
  readonly pageCurrency?: string | undefined;
  /** For readers other than the shopper. */
  readonly adapt?: (strings: Strings, language: Language) => Strings;
}

/**
 * `locale`: as the store writes it, such as `pt-BR`. English for a language that is not translated.
 * `currency`: that of the program, which is the store's own.
 */
export function createWords(
  locale: string,
  currency: string | undefined,
  { pageCurrency, adapt = (strings) => strings }: WordOptions = {},
) {
  const [language = ''] = locale.toLowerCase().split(/[-_]/);
  const known = languages.find(([prefix]) => prefix === language);
  const [, tag, own] = known ?? languages[0];
  const strings = adapt(own, tag);
  // The region decides how numbers are written: es-MX is not es-ES.
  const formats = known && attempt(() => new Intl.Locale(locale)) ? locale : tag;
  const amounts = createAmounts(strings, formats, currency, pageCurrency);
  const { number, money } = amounts;
  const percent = new Intl.NumberFormat(formats, { style: 'percent', maximumFractionDigits: 2 });
  const choice = new Intl.ListFormat(formats, { type: 'disjunction' });
  const signed = new Intl.NumberFormat(formats, {
    maximumFractionDigits: 2,
    signDisplay: 'exceptZero',
  });
  const day = new Intl.DateTimeFormat(formats, { dateStyle: 'medium' });

  /** A code without its own sentence is a technical one. */
  const why = (code: string) => {
    const named = valueIn(SAME_SENTENCE, code) ?? code;
    return valueIn(strings.why, named) ?? strings.why.technical;
  };
  return {
    ...amounts,
    /** For the `lang` attribute: may differ from the language of the page. */
    language: tag,
    strings,
    /** `+50` */
    change: (points: number) => signed.format(points).replace('-', '−'),
    date: (iso: string) => {
      const date = new Date(iso);
      return Number.isNaN(date.getTime()) ? '' : day.format(date);
    },
    /** `Gold or Platinum` */
    oneOf: (names: readonly string[]) => choice.format(names),
    /** Undefined for other kinds. */
    worth({ kind, value, product }: Pick<Reward, 'kind' | 'value' | 'product'>) {
      const { worth } = strings.rewards;
      const off = () =>
        fill(worth.off, {
          value: kind === 'percent' ? percent.format(value / 100) : money(value),
        });
      switch (kind) {
        case 'fixed':
        case 'percent':
          return product === null ? off() : `${off()}: ${product}`;
        case 'free-shipping':
          return worth.shipping;
        case 'store-credit':
        case 'cashback':
        case 'other':
          return product ?? undefined;
      }
    },
    why,
    state: (state: RedemptionState) =>
      state === 'refused' ? strings.why.refused : strings.codes.states[state],
    progress: ({ value, goal }: TierGoal) =>
      fill(strings.balance.progress, { value: number(Math.min(value, goal)), goal: number(goal) }),
    failure({ code, afterSeconds }: Pick<Failure, 'code' | 'afterSeconds'>) {
      return afterSeconds === undefined
        ? why(code)
        : `${why(code)} ${fill(strings.tryAgainIn, { n: number(afterSeconds) })}`;
    },
  };
}

/** Numbers of the program as the shopper reads them. `formats`: the locale that decides how they are written. */
export function createAmounts(
  strings: Pick<Strings, 'points' | 'cashback'>,
  formats: string,
  currency: string | undefined,
  pageCurrency = currency,
) {
  const number = new Intl.NumberFormat(formats, { maximumFractionDigits: 2 });
  // On a page with other prices a "$" would be read as theirs.
  const currencyDisplay = pageCurrency === currency ? 'symbol' : 'code';
  const style = { style: 'currency', currency, currencyDisplay } as const;
  const cash = (currency && attempt(() => new Intl.NumberFormat(formats, style))) || number;
  const plural = new Intl.PluralRules(formats);
  const list = new Intl.ListFormat(formats);
  const points = (value: number) =>
    fill(plural.select(value) === 'one' ? strings.points.one : strings.points.other, {
      n: number.format(value),
    });
  /** `12 points and €3.00 cashback`; undefined for nothing at all. */
  const gain = (earned: number, cashback: number) => {
    const parts = [
      ...(earned > 0 ? [points(earned)] : []),
      ...(cashback > 0 ? [fill(strings.cashback, { amount: cash.format(cashback) })] : []),
    ];
    return parts.length > 0 ? list.format(parts) : undefined;
  };
  return {
    number: (value: number) => number.format(value),
    points,
    /** Without a currency it is a number. */
    money: (value: number) => cash.format(value).replace('-', '−'),
    /** As it stands in a field: `8.50`. */
    typed: (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(2)),
    gain,
    /** Of what is only expected, whole points. */
    about: ({ points: some, cashback }: { points: number; cashback: number }) =>
      gain(Math.round(some) || some, cashback),
  };
}

/** `Redeem for {points}` */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole);
}

/** Not `table[name]`: every object has a `toString`. */
function valueIn(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Undefined for the name of no language, or of no currency. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
