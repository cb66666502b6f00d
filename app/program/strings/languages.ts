import { en, type Language, type Strings } from './en.ts';
import { es } from './es.ts';
import { ptBr } from './pt-br.ts';

export type Translation = readonly [prefix: string, tag: Language, strings: Strings];

/**
 * The first is for all languages that are not here. The scripts for the store's pages have one language each:
 * app/build/build-app.ts replaces this list.
 */
export const languages: readonly [Translation, ...Translation[]] = [
  ['en', 'en', en],
  ['es', 'es', es],
  ['pt', 'pt-BR', ptBr],
];
