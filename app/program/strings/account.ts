import type { Language } from './en.ts';

/** Sentences of the customer account only: the widget, which every page of the store loads, has none of them. */
const en = {
  heading: 'Points and rewards',
  /** An extension cannot select a text. */
  notCopied: 'Could not copy. Select it and copy it yourself.',
  /** A reward for a product. */
  inCart: 'Put the product into your cart to redeem this reward there.',
  history: {
    heading: 'History',
    none: 'Nothing has happened yet.',
    tier: 'You reached {name}.',
    code: 'Code {code}',
    cancelled: 'Cancelled',
    more: 'Show more',
  },
};

const ptBr: typeof en = {
  heading: 'Pontos e recompensas',
  notCopied: 'Não foi possível copiar. Selecione o texto e copie-o.',
  inCart: 'Coloque o produto no carrinho para resgatar esta recompensa lá.',
  history: {
    heading: 'Histórico',
    none: 'Ainda não há movimentos.',
    tier: 'Você chegou ao nível {name}.',
    code: 'Código {code}',
    cancelled: 'Cancelado',
    more: 'Mostrar mais',
  },
};

const es: typeof en = {
  heading: 'Puntos y recompensas',
  notCopied: 'No se ha podido copiar. Selecciónalo y cópialo.',
  inCart: 'Añade el producto al carrito para canjear allí esta recompensa.',
  history: {
    heading: 'Historial',
    none: 'Todavía no hay movimientos.',
    tier: 'Has llegado al nivel {name}.',
    code: 'Código {code}',
    cancelled: 'Cancelado',
    more: 'Mostrar más',
  },
};

/** By the language that the words are in. */
export const accountStrings: Readonly<Record<Language, typeof en>> = {
  en,
  es,
  'pt-BR': ptBr,
};
