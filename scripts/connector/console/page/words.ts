import { signal } from '@preact/signals';
export const LANGUAGES = { en: 'English', 'pt-BR': 'Português', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;

type InEveryLanguage<Texts> = Readonly<Record<Language, Texts>>;

/** One text in the languages above, in their order. */
export type Said = readonly [en: string, ptBr: string, es: string];

/** The texts of one part of the page, beside that part; some say what they are given. */
interface Rows {
  readonly [name: string]: Said | ((...given: never[]) => Said) | Rows | undefined;
}

type Chosen<Row> = Row extends Said
  ? string
  : Row extends (...given: infer Given) => Said
    ? (...given: Given) => string
    : { readonly [Name in keyof Row]: Chosen<Row[Name]> };

export function inEveryLanguage<const Table extends Rows>(
  table: Table,
): InEveryLanguage<Chosen<Table>> {
  const choose = (index: 0 | 1 | 2) => chooseOf(table, index) as Chosen<Table>;
  return { en: choose(0), 'pt-BR': choose(1), es: choose(2) };
}

function chooseOf(row: Rows[string], index: 0 | 1 | 2): unknown {
  if (Array.isArray(row)) return row[index];
  if (typeof row === 'function') return (...given: never[]) => row(...given)[index];
  return Object.fromEntries(
    Object.entries(row ?? {}).map(([name, one]) => [name, chooseOf(one, index)]),
  );
}

const KEPT = 'console-language';

/** What was chosen here before, else the first language of the browser that this page has. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(KEPT) ?? '', ...navigator.languages];
  const known = Object.keys(LANGUAGES) as Language[];
  for (const one of wanted) {
    const found = known.find((language) => language.slice(0, 2) === one.slice(0, 2));
    if (found) return found;
  }
  return 'en';
}

export const language = signal(firstLanguage());

export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(KEPT, chosen);
  language.value = chosen;
}

/** In the chosen language. Sentences that a command made stay in English. */
export function words<Texts>(texts: InEveryLanguage<Texts>): Texts {
  return texts[language.value];
}

export const LOCALES: InEveryLanguage<string> = { en: 'en-GB', 'pt-BR': 'pt-BR', es: 'es' };

export function numberText(value: number): string {
  return value.toLocaleString(LOCALES[language.value]);
}

/** Date and time where the browser is. */
export function momentText(moment: string | number): string {
  const style = { dateStyle: 'medium', timeStyle: 'medium' } as const;
  return new Date(moment).toLocaleString(LOCALES[language.value], style);
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `3 hours ago`, `in 2 minutes`. */
export function agoText(moment: string | number, now = Date.now()): string {
  const seconds = Math.round((new Date(moment).getTime() - now) / 1000);
  const [unit, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? UNITS[3];
  const format = new Intl.RelativeTimeFormat(LOCALES[language.value], { numeric: 'auto' });
  return format.format(Math.trunc(seconds / size), unit);
}

/** `1.2s`, `3min`; with `long`, `5 seconds`. */
export function durationText(milliseconds: number, unitDisplay: 'narrow' | 'long' = 'narrow') {
  const [unit, size] =
    milliseconds < 120_000 ? (['second', 1_000] as const) : (['minute', 60_000] as const);
  return (milliseconds / size).toLocaleString(LOCALES[language.value], {
    ...({ style: 'unit', unit, unitDisplay } as const),
    maximumFractionDigits: milliseconds < 10_000 ? 1 : 0,
  });
}

/** US dollars. Requests cost so little that two digits after the point would show nothing. */
export function dollarsText(dollars: number): string {
  return dollars.toLocaleString(LOCALES[language.value], {
    ...({ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const),
    ...(dollars < 0.1 && { maximumSignificantDigits: 2 }),
  });
}
