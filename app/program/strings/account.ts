import type { Language } from './en.ts';

/** Sentences of the customer account only: the widget, which every page of the store loads, has none of them. */
const en = {
  heading: 'Points and rewards',
  /** An extension cannot select a text. */
  notCopied: 'The code could not be copied. Select it and copy it yourself.',
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
  /** What one order earns. `…Some`: the number is not known. */
  order: {
    heading: 'Loyalty points',
    waiting: 'This order is on its way to the loyalty program. What it earns appears here.',
    expected: 'This order earns you {gain}.',
    expectedSome: 'This order earns you points.',
    later: 'They are added to your balance later.',
    earned: 'You earned {gain} with this order.',
    added: 'They are in your balance.',
    earnedSome: 'The points of this order are in your balance.',
    none: 'This order earns no points.',
    cancelled: 'This order was cancelled. It earns no points.',
    logInTo: 'Log in to see what this order earns.',
    seeAll: 'See points and rewards',
  },
};

const ptBr: typeof en = {
  heading: 'Pontos e recompensas',
  notCopied: 'Não foi possível copiar o código. Selecione-o e copie você mesmo.',
  inCart: 'Coloque o produto no carrinho para resgatar esta recompensa lá.',
  history: {
    heading: 'Histórico',
    none: 'Ainda não há movimentos.',
    tier: 'Você chegou ao nível {name}.',
    code: 'Código {code}',
    cancelled: 'Cancelado',
    more: 'Mostrar mais',
  },
  order: {
    heading: 'Pontos de fidelidade',
    waiting: 'Este pedido está a caminho do programa de fidelidade. O que ele rende aparece aqui.',
    expected: 'Este pedido rende {gain}.',
    expectedSome: 'Este pedido rende pontos.',
    later: 'Eles entram no seu saldo mais tarde.',
    earned: 'Você ganhou {gain} com este pedido.',
    added: 'Eles já estão no seu saldo.',
    earnedSome: 'Os pontos deste pedido já estão no seu saldo.',
    none: 'Este pedido não rende pontos.',
    cancelled: 'Este pedido foi cancelado e não rende pontos.',
    logInTo: 'Entre na sua conta para ver o que este pedido rende.',
    seeAll: 'Ver pontos e recompensas',
  },
};

const es: typeof en = {
  heading: 'Puntos y recompensas',
  notCopied: 'No se ha podido copiar el código. Selecciónalo y cópialo tú.',
  inCart: 'Añade el producto al carrito para canjear allí esta recompensa.',
  history: {
    heading: 'Historial',
    none: 'Todavía no hay movimientos.',
    tier: 'Has llegado al nivel {name}.',
    code: 'Código {code}',
    cancelled: 'Cancelado',
    more: 'Mostrar más',
  },
  order: {
    heading: 'Puntos de fidelidad',
    waiting:
      'Este pedido va de camino al programa de fidelidad. Lo que ganas con él aparecerá aquí.',
    expected: 'Con este pedido ganas {gain}.',
    expectedSome: 'Con este pedido ganas puntos.',
    later: 'Se añaden a tu saldo más tarde.',
    earned: 'Has ganado {gain} con este pedido.',
    added: 'Ya están en tu saldo.',
    earnedSome: 'Los puntos de este pedido ya están en tu saldo.',
    none: 'Con este pedido no ganas puntos.',
    cancelled: 'Este pedido se ha cancelado y no da puntos.',
    logInTo: 'Inicia sesión para ver lo que ganas con este pedido.',
    seeAll: 'Ver puntos y recompensas',
  },
};

/** By the language that the words are in. */
export const accountStrings: Readonly<Record<Language, typeof en>> = {
  en,
  es,
  'pt-BR': ptBr,
};
